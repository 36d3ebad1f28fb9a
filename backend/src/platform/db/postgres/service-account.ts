import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Layout } from './layout.ts'
import { runAs, type ServiceAccount } from './run-as.ts'
import { PostgresStartError } from './start-error.ts'

/** Ours: no other program runs as it, or reads its files. */
const OWN_ACCOUNT = 'vedette-db'
/** Where none can be made. Other databases of the machine may run as it; the second is that of macOS. */
const SHARED_ACCOUNTS = ['postgres', '_postgres']

/** What root asks for and may do. */
export interface Accounts {
  /** Undefined where there is none of this name or number. */
  named(nameOrUid: string): Promise<ServiceAccount | undefined>
  /** Makes a system user; why not, where it cannot. */
  make(name: string): Promise<string>
}

/**
 * The account that Postgres runs as. For an ordinary user it is that user. Postgres refuses root, so for root it is, in this order:
 * the owner of the cluster (only that one can open the files), our own account, which is made if needed, one made for Postgres.
 */
export async function chooseServiceAccount(layout: Layout): Promise<ServiceAccount> {
  if (process.getuid?.() !== 0) return { name: ownName(), ids: undefined }
  return (await ownerOf(layout.cluster)) ?? chooseForRoot(SYSTEM_ACCOUNTS)
}

/** For a cluster that is made. Throws PostgresStartError. */
export async function chooseForRoot({ named, make }: Accounts): Promise<ServiceAccount> {
  const own = await named(OWN_ACCOUNT)
  if (own) return own
  const reason = await make(OWN_ACCOUNT)
  // Another start may have made it at the same moment.
  for (const name of [OWN_ACCOUNT, ...SHARED_ACCOUNTS]) {
    const account = await named(name)
    if (account) return account
  }
  throw new PostgresStartError(
    `Postgres refuses to run as root, and the user "${OWN_ACCOUNT}" could not be created (${reason}). ` +
      `Create a system user "${OWN_ACCOUNT}", start Vedette as an ordinary user, or set DATABASE_URL.`,
  )
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

/** By `id`, which asks every source of accounts, not only /etc/passwd. */
async function accountNamed(nameOrUid: string): Promise<ServiceAccount | undefined> {
  const answers = await Promise.all(['-u', '-g', '-un'].map((flag) => runAs(undefined, 'id', [flag, nameOrUid])))
  if (answers.some((answer) => !answer.isOk)) return undefined
  const [uid, gid, name] = answers.map((answer) => answer.stdout)
  return { name: name ?? nameOrUid, ids: { uid: Number(uid), gid: Number(gid) } }
}

const makeAccount = async (name: string): Promise<string> =>
  (await runAs(undefined, 'useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', name])).stderr

const SYSTEM_ACCOUNTS: Accounts = { named: accountNamed, make: makeAccount }
