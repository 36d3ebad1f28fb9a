/** An edit of the source, as JSON in TEST_PLANTED_FAULT. */
interface PlantedFault {
  name: string
  file: string
  find: string
  replace: string
}

/** Plants a fault in the source as the tests load it: the files stay as they are. */
export function plantedFault(json: string | undefined) {
  if (json === undefined) return []
  const { name, file, find, replace } = JSON.parse(json) as PlantedFault
  const transform = (code: string, id: string): string | undefined => {
    if (!id.endsWith(file)) return undefined
    if (code.split(find).length !== 2)
      throw new Error(`"${name}" no longer applies: its text does not occur exactly once in ${file}`)
    return code.replace(find, () => replace)
  }
  return [{ name: 'a planted fault', enforce: 'pre' as const, transform }]
}
