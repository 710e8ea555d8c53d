"""Functions for stepgraph, served over HTTP with nothing but Python's standard library."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRICES = {"tea": 3.5, "coffee": 4.0}
ORDERS = {}  # by key: a call that comes twice orders once


def price(input, key):
    if input.get("item") not in PRICES:
        return {"error": f"we do not sell {input.get('item')!r}"}
    return {"output": {"item": input["item"], "price": PRICES[input["item"]]}}


def order(input, key):
    if not input.get("confirmed"):
        return {"await": {"prompt": f"Order {input['item']}?", "kind": "confirm", "options": ["Order", "Leave it"]}}
    number = ORDERS.setdefault(key, len(ORDERS) + 1)
    return {"output": {"order": number, "item": input["item"]}, "say": f"Order {number} is on its way."}


FUNCTIONS = {"shop.price": price, "shop.order": order}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        function = FUNCTIONS.get(call["function"])
        answer = function(call["input"], call["key"]) if function else {"error": f"no function {call['function']}"}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Handler)
    print(f"serving {', '.join(FUNCTIONS)} on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
