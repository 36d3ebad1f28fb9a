import { putAllowPrivateTargets } from '../setup/index.ts'
import { oneOf, type Task } from './command.ts'
import { readSettings, withDatabase } from './database.ts'

const STATES = ['on', 'off'] as const

/** What the page of the set-up asked once. `VEDETTE_ALLOW_PRIVATE_TARGETS` goes before it. */
export const configSet: Task = {
  name: 'config set',
  summary: 'whether checks may reach private addresses, as the set-up asked: allow-private-targets on or off',
  parameters: ['name', 'on|off'],
  run: ({ parameters }, world) => {
    const name = oneOf('The name', parameters['name'] as string, ['allow-private-targets'] as const)
    const state = oneOf('The value', parameters['on|off'] as string, STATES)
    const isOverruled = readSettings(world).allowPrivateTargets !== undefined
    return withDatabase(world, async (db) => {
      await putAllowPrivateTargets(db, state === 'on', new Date(world.clock.now()))
      return {
        json: { name, value: state, is_overruled: isOverruled },
        text: `${name} is ${state}${isOverruled ? '; VEDETTE_ALLOW_PRIVATE_TARGETS is set and goes before it' : ''}`,
      }
    })
  },
}
