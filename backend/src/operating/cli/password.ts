import { hashPassword, passwordFault } from '../../access/auth/index.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { type Call, type Option, UsageError, type CommandContext } from './command.ts'

export const PASSWORD_OPTION: Record<string, Option> = {
  'password-stdin': {
    type: 'boolean',
    help: 'read the password from standard input; by default one is generated and printed once',
  },
}

/** 24 characters of base64url. */
const RANDOM_BYTES = 18

export interface ChosenPassword {
  hash: string
  /** Undefined when the password was read from standard input. */
  generated: string | undefined
}

/** The password from standard input, or a generated one. Never an argument: every process of the host can read arguments. */
export async function choosePassword({ options }: Call, context: CommandContext): Promise<ChosenPassword> {
  if (!options['password-stdin']) {
    const generated = randomBytes(RANDOM_BYTES).toString('base64url')
    return { hash: await hashPassword(generated), generated }
  }
  const given = (await context.readInput()).replace(/\r?\n$/, '')
  const fault = passwordFault(given)
  if (fault !== undefined) throw new UsageError(`The password ${fault}.`)
  return { hash: await hashPassword(given), generated: undefined }
}
