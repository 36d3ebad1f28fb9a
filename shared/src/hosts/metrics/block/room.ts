/** Bytes to write into that are used again: memory of its own for each block is most of what garbage costs. */
export class Room {
  readonly #kept: Uint8Array

  constructor(size: number) {
    this.#kept = new Uint8Array(size)
  }

  /** So many bytes at least, with anything in them; to be copied from before somebody asks again. */
  of(size: number): Uint8Array {
    return size <= this.#kept.length ? this.#kept : new Uint8Array(size)
  }
}
