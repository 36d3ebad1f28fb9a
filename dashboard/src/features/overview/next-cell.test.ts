import { expect, it } from 'vitest'
import { nextCell } from './next-cell.ts'

// Two wide cells, then two rows of small ones.
const BOXES = [
  { left: 0, top: 0 },
  { left: 120, top: 0 },
  { left: 0, top: 26 },
  { left: 20, top: 26 },
  { left: 40, top: 26 },
  { left: 0, top: 46 },
]

it.each([
  [0, 'ArrowRight', 1],
  [5, 'ArrowRight', 5],
  [0, 'ArrowLeft', 0],
  [3, 'ArrowLeft', 2],
  [1, 'ArrowDown', 4],
  [4, 'ArrowUp', 0],
  [4, 'ArrowDown', 5],
  [5, 'ArrowDown', 5],
  [0, 'ArrowUp', 0],
  [5, 'ArrowUp', 2],
  [0, 'Enter', undefined],
  [9, 'ArrowDown', undefined],
] as const)('from cell %d the key %s leads to %s', (from, key, to) => expect(nextCell(BOXES, from, key)).toBe(to))

it('leads nowhere without cells', () => expect(nextCell([], 0, 'ArrowDown')).toBeUndefined())
