/** The place of a cell, px. */
export interface CellBox {
  left: number
  top: number
}

/** Where an arrow key leads in cells of any width that wrap into rows; undefined for other keys. */
export function nextCell(boxes: readonly CellBox[], from: number, key: string): number | undefined {
  const last = boxes.length - 1
  if (key === 'ArrowRight') return Math.min(from + 1, last)
  if (key === 'ArrowLeft') return Math.max(from - 1, 0)
  const here = boxes[from]
  if (!here || (key !== 'ArrowDown' && key !== 'ArrowUp')) return undefined
  const isBeyond = ({ top }: CellBox) => (key === 'ArrowDown' ? top > here.top : top < here.top)
  const beyond = boxes.filter(isBeyond).map(({ top }) => top)
  if (beyond.length === 0) return from
  const row = key === 'ArrowDown' ? Math.min(...beyond) : Math.max(...beyond)
  const distance = ({ left }: CellBox) => Math.abs(left - here.left)
  const inRow = boxes.flatMap((box, index) => (box.top === row ? [{ box, index }] : []))
  return inRow.reduce(
    (best, each) => (distance(each.box) < distance(best.box) ? each : best),
    inRow[0] ?? { box: here, index: from },
  ).index
}
