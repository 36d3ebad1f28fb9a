/** Node formats a distinguished name as lines of `KEY=value`; people know common name and organization. */
export function nameOf(lines: string | undefined): string {
  const parts = (lines ?? '').split('\n')
  const value = (key: string) => parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1)
  const [common, organization] = [value('CN'), value('O')]
  return [common, organization].filter((part) => part !== undefined).join(', ') || parts.join(', ')
}
