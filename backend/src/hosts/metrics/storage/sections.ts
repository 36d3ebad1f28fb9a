/**
 * Several values in one column, each of which Postgres can read alone: the column is stored uncompressed, so that a part of it costs
 * the pages of this part. `ends` has where each section ends, after a 0.
 */
export interface Sections {
  ends: number[]
  data: Uint8Array
}

export function joinSections(sections: readonly Uint8Array[]): Sections {
  let end = 0
  return { ends: [0, ...sections.map(({ length }) => (end += length))], data: Buffer.concat(sections) }
}
