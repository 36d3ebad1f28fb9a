import { SYSTEM } from '../../access/audit/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { setAllowPrivateTargets } from '../setup/index.ts'
import { oneOf, type Task } from './command.ts'
import { readSettings, withDatabase } from './database.ts'

const STATES = ['on', 'off'] as const

/** Changes an answer of the set-up page. `VEDETTE_ALLOW_PRIVATE_TARGETS` takes precedence. */
export const configSet: Task = {
  name: 'config set',
  summary: 'allow or forbid checks of private addresses: allow-private-targets on or off',
  parameters: ['name', 'on|off'],
  run: ({ parameters }, context) => {
    const name = oneOf('The name', parameters['name'] as string, ['allow-private-targets'] as const)
    const state = oneOf('The value', parameters['on|off'] as string, STATES)
    const isOverruled = readSettings(context).allowPrivateTargets !== undefined
    return withDatabase(context, async (db) => {
      const at = new Date(context.clock.now())
      await inTransaction(db, (transaction) => setAllowPrivateTargets(transaction, SYSTEM, state === 'on', at))
      return {
        json: { name, value: state, is_overruled: isOverruled },
        text: `${name} is ${state}${isOverruled ? '; VEDETTE_ALLOW_PRIVATE_TARGETS is set and takes precedence' : ''}`,
      }
    })
  },
}
