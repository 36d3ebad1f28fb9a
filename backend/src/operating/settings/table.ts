import { DECLARATIONS, type Declaration } from './declarations.ts'

const HEAD = ['setting', 'holds', 'bounds', 'default']

/** The table of all settings as Markdown, with aligned columns: `docs/operations.md` has it between two marks. */
export function settingsTable(): string {
  const rows = Object.entries(DECLARATIONS).map(([name, declaration]) => rowOf(name, declaration))
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function rowOf(name: string, declaration: Declaration): string[] {
  const { description, values, otherwise, default: value, type } = declaration
  return [
    `\`${name}\``,
    description,
    values ?? boundsOf(declaration),
    otherwise ?? (type === 'integer' ? plain(value) : code(value)),
  ]
}

function boundsOf({ enum: choices, minimum = 0, maximum = 0 }: Declaration): string {
  return choices ? choices.map(code).join(', ') : `${grouped(minimum)} to ${grouped(maximum)}`
}

const grouped = (value: number): string => value.toLocaleString('en')
const plain = (value: string | number | undefined): string => String(value)
const code = (value: string | number | undefined): string => (value === undefined ? 'none' : `\`${value}\``)
