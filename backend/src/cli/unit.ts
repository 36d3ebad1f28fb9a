import { UsageError } from './command.ts'

/** What fills the template of the unit. */
export interface UnitPlaces {
  /** The program with what stands before `start`. */
  program: readonly string[]
  docs: string
}

/** What systemd takes as it stands, without quotes, specifiers or variables. */
const PLAIN = /^[\w./=+@:-]+$/
/** Of the unit: `ProtectHome` and `PrivateTmp` leave these empty for the service. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//

/** Throws UsageError where systemd could not start the program from its place. */
export function checkPlaces({ program }: UnitPlaces): void {
  for (const word of program) {
    if (!PLAIN.test(word)) throw new UsageError(`a unit of systemd cannot name ${JSON.stringify(word)}: put Vedette elsewhere`)
    if (HIDDEN.test(word))
      throw new UsageError(`the service may not look into ${word}: put Vedette below /opt, and call it there`)
  }
}

/** The unit of the backend for a program at these places. */
export const fillUnit = (template: string, { program, docs }: UnitPlaces): string =>
  template.replaceAll('@PROGRAM@', () => program.join(' ')).replaceAll('@DOCS@', () => docs)
