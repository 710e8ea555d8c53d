import type { Page } from '@playwright/test'

/**
 * layoutFaults lists what a person would see as broken, without a picture to compare with: a
 * picture made with one machine's fonts fails on the next. It reports a page wider than its
 * window, texts cut off without an ellipsis, and controls that lie on each other.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`)
    const dialog = document.querySelector('dialog[open]')
    const within: ParentNode = dialog ?? document
    const name = (e: Element) => `${e.tagName.toLowerCase()}.${String(e.className)} "${(e.textContent || e.getAttribute('aria-label') || '').trim().slice(0, 40)}"`
    const seen = (e: Element) => {
      const r = e.getBoundingClientRect()
      return r.width > 1 && r.height > 1 && r.bottom > 0 && r.top < innerHeight && e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && !e.closest('.sr, .skip, .react-flow__edges')
    }
    for (const e of within.querySelectorAll('button, a, h1, h2, h3, label, th, .chip, .status, [role=tab], .card-title span, .card-state')) {
      const style = getComputedStyle(e)
      if (!seen(e) || style.display === 'inline' || style.textOverflow === 'ellipsis') continue
      if (e.scrollWidth > e.clientWidth + 2 && style.overflowX !== 'auto' && style.overflowX !== 'scroll' && ![...e.children].some((c) => getComputedStyle(c).textOverflow === 'ellipsis')) {
        faults.push(`cut off: ${name(e)} needs ${e.scrollWidth} of ${e.clientWidth}`)
      }
    }
    // A container is the ground under the cards of its body.
    const controls = [...within.querySelectorAll('button, a[href], input, select, textarea, .card:not(.container)')].filter((e) => seen(e) && !e.matches('[tabindex="-1"].time-bar'))
    /** What of a control is really on the screen: lists scroll beneath their heads. */
    const shown = (e: Element) => {
      const r = e.getBoundingClientRect()
      const box = { left: r.left, top: r.top, right: r.right, bottom: r.bottom }
      for (let p = e.parentElement; p; p = p.parentElement) {
        if (getComputedStyle(p).overflow === 'visible') continue
        const c = p.getBoundingClientRect()
        box.left = Math.max(box.left, c.left)
        box.top = Math.max(box.top, c.top)
        box.right = Math.min(box.right, c.right)
        box.bottom = Math.min(box.bottom, c.bottom)
      }
      return box
    }
    const boxes = controls.map(shown)
    for (let i = 0; i < controls.length; i++) {
      for (let j = i + 1; j < controls.length; j++) {
        const a = controls[i]
        const b = controls[j]
        if (a.contains(b) || b.contains(a) || floats(a) !== floats(b)) continue
        const x = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left)
        const y = Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top)
        if (x > 2 && y > 2) faults.push(`on each other: ${name(a)} and ${name(b)}`)
      }
    }
    /** Tools of the canvas lie over it by design; they must only not lie over each other. */
    function floats(e: Element) {
      return e.closest('.flow-tools, .react-flow__attribution, .replay, .find, .menu, .bulk, .table-head, .react-flow__minimap, .small-map') !== null
    }
    return faults
  })
}
