import { createHash } from 'node:crypto'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from './archive.ts'
import { template } from './template.ts'
import { type Build, hashOfFile, run } from './tools.ts'

/** Where Windows Installer runs our steps: wixl puts what it does not know where there is room. */
const SEQUENCE: Readonly<Record<string, number>> = {
  NameTasks: 1001,
  NameRights: 1002,
  RemoveExistingProducts: 1401,
  EndTask: 1501,
  RemoveTask: 1502,
  GrantState: 4001,
  MakeTask: 4002,
}

/** 64 bits, permanent, never overwritten. */
const KEPT_COMPONENT = 256 + 16 + 128
/** Sets a property at once, which a deferred step may not do. */
const SETS_PROPERTY = 51

/** The name of the .msi that is made in `build.out` from the folder of an archive. */
export async function makeMsi(build: Build, folder: string): Promise<string> {
  const name = `vedette-agent-${build.version}-x64.msi`
  const made = join(build.out, name)
  const source = join(build.work, 'vedette-agent.wxs')
  const program = await hashOfFile(join(folder, 'bin/vedette-agent.exe'), 'sha256')
  const values = { VERSION: build.version, PRODUCT_ID: uuidOf('product', build.version), PROGRAM_FILES: 'ProgramFiles64Folder' }
  writeFileSync(source, template(build, 'vedette-agent.wxs', values))
  // The cabinet keeps the times of the files.
  for (const file of filesBelow(folder)) utimesSync(join(folder, file), build.sourceEpoch, build.sourceEpoch)
  await run(build, 'wixl', ['-a', 'x64', '-o', made, source], folder)
  const changes = [
    ...Object.entries(SEQUENCE).map(
      ([action, at]) => `UPDATE \`InstallExecuteSequence\` SET \`Sequence\`=${at} WHERE \`Action\`='${action}'`,
    ),
    ...['NameTasks', 'NameRights'].map(
      (action) => `UPDATE \`CustomAction\` SET \`Type\`=${SETS_PROPERTY} WHERE \`Action\`='${action}'`,
    ),
    `UPDATE \`Component\` SET \`Attributes\`=${KEPT_COMPONENT} WHERE \`Component\`='Config'`,
  ]
  await run(build, 'msibuild', [made, ...changes.flatMap((change) => ['-q', change])])
  const words = await run(build, 'msiinfo', ['suminfo', made])
  const number = /UUID\): (\{[^}]+\})/.exec(words)?.[1] ?? ''
  settle(made, number, uuidOf('package', `${build.version} ${program}`), build.sourceEpoch)
  return name
}

/** Takes chance and clock out of the summary, which is all that differs between two builds. */
function settle(path: string, found: string, uuid: string, epoch: number): void {
  const file = readFileSync(path)
  const at = found === '' ? -1 : file.indexOf(found, 0, 'latin1')
  if (at < 0) throw new Error(`${path} has no number of its package`)
  file.write(`{${uuid}}`, at, 'latin1')
  // The summary is one stream around the number: two times, each behind the type that says so (64).
  let times = 0
  for (let offset = at & ~3; offset < at + 256; offset += 4) {
    if (file.readUInt32LE(offset) !== 64) continue
    file.writeBigUInt64LE(BigInt(epoch) * 10_000_000n + 116_444_736_000_000_000n, offset + 4)
    times += 1
    offset += 8
  }
  if (times !== 2) throw new Error(`${path} has ${times} times in its summary in place of 2`)
  writeFileSync(path, file)
}

/** The name of the set-up that is made in `build.out` from the folder of an archive. */
export async function makeSetup(build: Build, folder: string): Promise<string> {
  const name = `vedette-agent-${build.version}-x64-setup.exe`
  const source = join(build.work, 'vedette-agent.nsi')
  writeFileSync(
    source,
    template(build, 'vedette-agent.nsi', { VERSION: build.version, TREE: folder, OUT: join(build.out, name) }),
  )
  await run(build, 'makensis', ['-V2', source])
  return name
}

/** Upper case, as Windows Installer writes it; the same for the same words. */
function uuidOf(kind: string, words: string): string {
  const hex = createHash('sha256').update(`vedette-agent ${kind} ${words}`).digest('hex').toUpperCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-A${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
