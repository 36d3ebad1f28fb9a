import { hashPassword, passwordFault } from '../auth/index.ts'
import { randomBytes } from '../platform/random.ts'
import { type Call, type Option, UsageError, type World } from './command.ts'

export const PASSWORD_OPTION: Record<string, Option> = {
  'password-stdin': { type: 'boolean', help: 'take the password from standard input; else one is made and shown once' },
}

/** 24 characters: as strong as what they are made of. */
const RANDOM_BYTES = 18

export interface ChosenPassword {
  hash: string
  /** Undefined where it was given: whoever gave it knows it. */
  generated: string | undefined
}

/** The password that was given, never as an argument, which every process of the host can read; else a random one. */
export async function choosePassword({ options }: Call, world: World): Promise<ChosenPassword> {
  if (!options['password-stdin']) {
    const generated = randomBytes(RANDOM_BYTES).toString('base64url')
    return { hash: await hashPassword(generated), generated }
  }
  const given = (await world.readInput()).replace(/\r?\n$/, '')
  const fault = passwordFault(given)
  if (fault !== undefined) throw new UsageError(`The password ${fault}.`)
  return { hash: await hashPassword(given), generated: undefined }
}
