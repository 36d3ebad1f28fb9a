/** How a program is called: its help, completion and man page are made of it. */
export interface ProgramDescription {
  name: string
  version: string
  /** One sentence. */
  summary: string
  commands: readonly CommandDescription[]
  /** Options of every command. */
  options: readonly OptionDescription[]
  exitCodes: Readonly<Record<number, string>>
  /** Further sections of the man page: title and paragraphs. */
  sections: readonly { title: string; paragraphs: readonly string[] }[]
}

export interface CommandDescription {
  /** As it is typed: `user create`. */
  name: string
  summary: string
  /** Names of the required positional arguments, in order. `on|off` accepts these two, `file` names a file. */
  parameters: readonly string[]
  options: readonly OptionDescription[]
}

export interface OptionDescription {
  name: string
  /** One letter. */
  short?: string | undefined
  /** Name of the value; FILE, DIR and FOLDER are completed. Undefined for a switch. */
  value?: string | undefined
  help: string
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export type Completed = 'files' | 'folders' | readonly string[]

/** What completes the value of an option or a parameter. */
export function completedBy(value: string): Completed {
  if (/^(FILE|file)$/.test(value)) return 'files'
  if (/^(DIR|FOLDER)$/.test(value)) return 'folders'
  return value.includes('|') ? value.split('|') : []
}

/** The first words of commands that have two, each once. */
export function groupsOf({ commands }: ProgramDescription): string[] {
  return [...new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))]
}
