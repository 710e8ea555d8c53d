/** sentencesOf are the finished sentences of a text that is still being written. */
export function sentencesOf(text: string): string[] {
  const parts = text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u)
  return parts.slice(0, -1).map((s) => s.trim()).filter((s) => s !== '')
}
