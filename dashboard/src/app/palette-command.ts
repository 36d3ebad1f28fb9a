export type PaletteCommand = 'acknowledge' | 'check' | 'pause' | 'resume' | 'silence'

/** Shorter words are parts of names. */
const MIN_LETTERS = 3

/** The command that the first word begins, such as `ack` of `ack shop`, and what follows it; without one the whole text. */
export function readCommand(
  typed: string,
  words: Readonly<Record<PaletteCommand, string>>,
): { command: PaletteCommand | undefined; rest: string } {
  const [, first = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(typed) ?? []
  const commands = Object.keys(words) as PaletteCommand[]
  const command = commands.find((each) => first.length >= MIN_LETTERS && words[each].startsWith(first.toLowerCase()))
  return command === undefined ? { command, rest: typed } : { command, rest }
}
