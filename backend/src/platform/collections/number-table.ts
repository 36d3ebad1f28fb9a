/**
 * Numbers about very many keys, a row for each. They stand outside of V8's heap, where a collection passes them over: an object for each
 * key, and another for each of its numbers that is no small integer, would be walked through by every one.
 */
export interface NumberTable<Column extends string> {
  readonly size: number
  /** Undefined where the key has none. */
  rowOf(key: string): number | undefined
  keyOf(row: number): string
  /** A row for a key that has none, with every number 0. What else is kept by its row is another key's, or nobody's. */
  add(key: string): number
  remove(key: string): void
  /** One that was removed and added again is new. */
  removeOldest(): void
  get(row: number, column: Column): number
  set(row: number, column: Column, value: number): void
  keys(): Iterable<string>
}

const FIRST_ROWS = 64

export function createNumberTable<const Column extends string>(columns: readonly Column[]): NumberTable<Column> {
  const width = columns.length
  const positions = Object.fromEntries(columns.map((column, position) => [column, position])) as Record<Column, number>
  const rows = new Map<string, number>()
  const keys: string[] = []
  const free: number[] = []
  let numbers = new Float64Array(FIRST_ROWS * width)

  function makeRoom(): void {
    if ((keys.length + 1) * width <= numbers.length) return
    const larger = new Float64Array(numbers.length * 2)
    larger.set(numbers)
    numbers = larger
  }

  function remove(key: string): void {
    const row = rows.get(key)
    if (row === undefined) return
    rows.delete(key)
    // Nothing is held by a row that nobody has.
    keys[row] = ''
    free.push(row)
  }

  return {
    get size() {
      return rows.size
    },
    rowOf: (key) => rows.get(key),
    keyOf: (row) => keys[row] as string,
    add: (key) => {
      const row = free.pop() ?? keys.length
      makeRoom()
      numbers.fill(0, row * width, (row + 1) * width)
      keys[row] = key
      rows.set(key, row)
      return row
    },
    remove,
    removeOldest: () => {
      const [oldest] = rows.keys()
      if (oldest !== undefined) remove(oldest)
    },
    get: (row, column) => numbers[row * width + positions[column]] as number,
    set: (row, column, value) => {
      numbers[row * width + positions[column]] = value
    },
    keys: () => rows.keys(),
  }
}
