import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from './command.ts'
import { HOME_FOLDER } from '../../platform/home-folder.ts'

/** The values of the unit's template. */
export interface UnitPaths {
  /** The command without its argument `start`. */
  program: readonly string[]
  docs: string
}

const HOME = fileURLToPath(HOME_FOLDER)

/** Paths of the running program: the script of a release, or in a clone the present command. */
export function ownPaths(): UnitPaths {
  const script = `${HOME}bin/vedette`
  if (existsSync(script)) return { program: [script], docs: `${HOME}share` }
  return { program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''], docs: `${HOME}docs` }
}

/** Words that need no quotes in a unit, and contain no specifiers or variables. */
const PLAIN = /^[\w./=+@:-]+$/
/** `ProtectHome` and `PrivateTmp` hide these folders from the service. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//

/** Throws UsageError when systemd could not start the program from its path. */
export function checkUnitPaths({ program }: UnitPaths): void {
  for (const word of program) {
    if (!PLAIN.test(word))
      throw new UsageError(`a systemd unit cannot contain the path ${JSON.stringify(word)}: move Vedette elsewhere`)
    if (HIDDEN.test(word))
      throw new UsageError(`the service cannot read ${word}: move Vedette below /opt and run the command there`)
  }
}

/** Fills the template of the unit. */
export const fillUnit = (template: string, { program, docs }: UnitPaths): string =>
  template.replaceAll('@PROGRAM@', () => program.join(' ')).replaceAll('@DOCS@', () => docs)
