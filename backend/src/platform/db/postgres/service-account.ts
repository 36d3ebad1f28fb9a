import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Layout } from './layout.ts'
import { runAs, type ServiceAccount } from './run-as.ts'
import { PostgresStartError } from './start-error.ts'

// The second is the one of macOS, the third the one we make.
const KNOWN_ACCOUNTS = ['postgres', '_postgres', 'vedette-db']
const OWN_ACCOUNT = 'vedette-db'

/**
 * The account that Postgres runs as. For an ordinary user it is that user. Postgres refuses root, so for root it is, in this order:
 * the owner of the cluster (only that one can open the files), an account made for Postgres, a new one.
 */
export async function chooseServiceAccount(layout: Layout): Promise<ServiceAccount> {
  if (process.getuid?.() !== 0) return { name: ownName(), ids: undefined }
  return (await ownerOf(layout.cluster)) ?? (await firstKnownAccount()) ?? (await makeAccount())
}

function ownName(): string {
  try {
    return userInfo().username
  } catch (error) {
    const message = `The user id ${process.getuid?.()} has no name, and Postgres does not start without one. Add a line for it to /etc/passwd.`
    throw new PostgresStartError(message, { cause: error })
  }
}

/** Undefined where nothing is there, and where it is root's. */
async function ownerOf(path: string): Promise<ServiceAccount | undefined> {
  const owner = await stat(path).catch(() => undefined)
  if (!owner || owner.uid === 0) return undefined
  return (await accountNamed(String(owner.uid))) ?? { name: `uid ${owner.uid}`, ids: { uid: owner.uid, gid: owner.gid } }
}

async function firstKnownAccount(): Promise<ServiceAccount | undefined> {
  for (const name of KNOWN_ACCOUNTS) {
    const account = await accountNamed(name)
    if (account) return account
  }
  return undefined
}

/** By `id`, which asks every source of accounts, not only /etc/passwd. */
async function accountNamed(nameOrUid: string): Promise<ServiceAccount | undefined> {
  const answers = await Promise.all(['-u', '-g', '-un'].map((flag) => runAs(undefined, 'id', [flag, nameOrUid])))
  if (answers.some((answer) => !answer.isOk)) return undefined
  const [uid, gid, name] = answers.map((answer) => answer.stdout)
  return { name: name ?? nameOrUid, ids: { uid: Number(uid), gid: Number(gid) } }
}

async function makeAccount(): Promise<ServiceAccount> {
  const made = await runAs(undefined, 'useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN_ACCOUNT])
  const account = await accountNamed(OWN_ACCOUNT)
  if (account) return account
  throw new PostgresStartError(
    `Postgres refuses to run as root, there is no user "postgres", and "${OWN_ACCOUNT}" could not be created (${made.stderr}). ` +
      'Create a system user "postgres", start Vedette as an ordinary user, or set DATABASE_URL.',
  )
}
