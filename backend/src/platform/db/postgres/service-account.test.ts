import { describe, expect, it } from 'vitest'
import { chooseForRoot } from './service-account.ts'

/** A machine with these users; `reason`: why it makes none. */
function machine(users: string[], reason?: string) {
  const made: string[] = []
  return {
    made,
    accounts: {
      named: async (name: string) =>
        users.includes(name) ? { name, ids: { uid: 900 + users.indexOf(name), gid: 900 } } : undefined,
      make: async (name: string) => {
        if (reason !== undefined) return reason
        made.push(name)
        users.push(name)
        return ''
      },
    },
  }
}

describe('the user that the embedded database of root runs as', () => {
  it.each([
    ['is its own, though there is one of other databases', ['postgres', 'vedette-db'], undefined, 'vedette-db', []],
    ['is made, though there is one of other databases', ['postgres', '_postgres'], undefined, 'vedette-db', ['vedette-db']],
    ['is that of other databases where none can be made', ['_postgres', 'postgres'], 'useradd: not found', 'postgres', []],
    ['is that of macOS where there is no other', ['_postgres'], 'useradd: not found', '_postgres', []],
  ])('%s', async (_, users, reason, name, made) => {
    const { accounts, made: now } = machine(users, reason)
    expect([(await chooseForRoot(accounts)).name, now]).toEqual([name, made])
  })

  it('is missing where there is none and none can be made: the start says why', async () => {
    await expect(chooseForRoot(machine([], 'read-only file system').accounts)).rejects.toThrow(
      'Postgres refuses to run as root, and the user "vedette-db" could not be created (read-only file system).',
    )
  })
})
