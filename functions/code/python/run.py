# Runs one script: reads {code, names, limits} from the input, writes {result, error,
# traceback, printed} to the output. The script itself has neither.
import io, json, linecache, os, sys, traceback

MAX_PRINTED, MAX_RESULT = 10 << 10, 1 << 20


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    def __init__(self):
        self.text = ""

    def writable(self):
        return True

    def write(self, text):
        self.text += text[: MAX_PRINTED - len(self.text)]
        return len(text)


def limit(limits):
    try:
        import resource
    except ImportError:
        return
    for name, most in limits.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            try:
                resource.setrlimit(kind, (most, most))
            except (ValueError, OSError):
                pass  # it is lower already


def plain(value):
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError("JSON has no form for a " + type(value).__name__)


def short(text):
    return text if len(text) <= 10000 else text[:5000] + "\n...\n" + text[-5000:]


def run(given, answer):
    scope = {"__name__": "__main__", **given["names"]}
    linecache.cache["code"] = (len(given["code"]), None, given["code"].splitlines(True), "code")
    try:
        exec(compile(given["code"], "code", "exec"), scope)
        if "result" not in scope:
            raise LookupError('the script has no result: assign what it finds to the variable "result"')
        text = json.dumps(scope["result"], allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=plain)
        if len(text.encode(errors="replace")) > MAX_RESULT:
            raise ValueError("the result is larger than %d bytes" % MAX_RESULT)
        answer["result"] = text
    except BaseException as e:
        trace = e.__traceback__.tb_next if e.__traceback__ else None
        answer["error"] = short("%s: %s" % (type(e).__name__, e))
        answer["traceback"] = short("".join(traceback.format_exception(type(e), e, trace)).rstrip())


def main():
    given = json.loads(sys.stdin.buffer.read())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    limit(given["limits"])
    sys.stdout = sys.stderr = printed = Printed()
    answer = {}
    run(given, answer)
    answer["printed"] = printed.text
    out.write(json.dumps(answer))
    out.flush()
    os._exit(0)  # threads of the script do not hold us up


main()
