/** Names and sizes of the raw resources of a Windows program (type RCDATA). Throws where the file is none. */
export function readResources(file: Buffer): Map<string, number> {
  const header = file.readUInt32LE(0x3c)
  if (file.toString('latin1', 0, 2) !== 'MZ' || file.toString('latin1', header, header + 4) !== 'PE\0\0')
    throw new Error('no PE file')
  const optional = header + 24
  if (file.readUInt16LE(optional) !== 0x20b) throw new Error('no PE of 64 bits')
  const rva = file.readUInt32LE(optional + 112 + 2 * 8)
  const sections = Array.from({ length: file.readUInt16LE(header + 6) }, (_, index) => {
    const at = optional + file.readUInt16LE(header + 20) + index * 40
    return { from: file.readUInt32LE(at + 12), size: file.readUInt32LE(at + 16), offset: file.readUInt32LE(at + 20) }
  })
  const section = sections.find(({ from, size }) => rva >= from && rva < from + size)
  if (!section) throw new Error('no section of resources')
  const start = section.offset + rva - section.from

  const entriesOf = (at: number) => {
    const count = file.readUInt16LE(at + 12) + file.readUInt16LE(at + 14)
    return Array.from({ length: count }, (_, index) => {
      const entry = at + 16 + index * 8
      return { id: file.readUInt32LE(entry), to: start + (file.readUInt32LE(entry + 4) & 0x7fffffff) }
    })
  }
  const nameOf = (id: number) => {
    if (id < 0x80000000) return `#${id}`
    const at = start + (id & 0x7fffffff)
    return file.toString('utf16le', at + 2, at + 2 + file.readUInt16LE(at) * 2)
  }
  const raw = entriesOf(start).find(({ id }) => id === 10)
  if (!raw) return new Map()
  return new Map(
    entriesOf(raw.to).map(({ id, to }) => {
      const language = entriesOf(to)[0]
      return [nameOf(id), language ? file.readUInt32LE(language.to + 4) : 0]
    }),
  )
}
