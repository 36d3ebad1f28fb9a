import { createHash } from 'node:crypto'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from './archive.ts'
import { template } from './template.ts'
import { type Build, hashOfFile, run } from './tools.ts'

/** Sequence numbers of the custom actions: wixl places unknown actions arbitrarily. */
const SEQUENCE: Readonly<Record<string, number>> = {
  NameTasks: 1001,
  NameRights: 1002,
  NamePowershell: 1003,
  RemoveExistingProducts: 1401,
  RefuseState: 1501,
  EndTask: 1502,
  RemoveTask: 1503,
  GrantState: 4001,
  MakeTask: 4002,
}

/** 64 bits, permanent, never overwritten. */
const PERMANENT_COMPONENT = 256 + 16 + 128
/** Sets a property immediately, which a deferred action cannot do. */
const SET_PROPERTY = 51

/** Builds the .msi in `build.out` from the folder of an archive and returns its name. */
export async function makeMsi(build: Build, folder: string): Promise<string> {
  const name = `vedette-agent-${build.version}-x64.msi`
  const made = join(build.out, name)
  const source = join(build.work, 'vedette-agent.wxs')
  const program = await hashOfFile(join(folder, 'bin/vedette-agent.exe'), 'sha256')
  const values = { VERSION: build.version, PRODUCT_ID: uuidOf('product', build.version), PROGRAM_FILES: 'ProgramFiles64Folder' }
  writeFileSync(source, template(build, 'vedette-agent.wxs', values))
  // The cabinet stores the times of the files.
  for (const file of filesBelow(folder)) utimesSync(join(folder, file), build.sourceEpoch, build.sourceEpoch)
  await run(build, 'wixl', ['-a', 'x64', '-o', made, source], folder)
  const changes = [
    ...Object.entries(SEQUENCE).map(
      ([action, at]) => `UPDATE \`InstallExecuteSequence\` SET \`Sequence\`=${at} WHERE \`Action\`='${action}'`,
    ),
    ...['NameTasks', 'NameRights', 'NamePowershell'].map(
      (action) => `UPDATE \`CustomAction\` SET \`Type\`=${SET_PROPERTY} WHERE \`Action\`='${action}'`,
    ),
    `UPDATE \`Component\` SET \`Attributes\`=${PERMANENT_COMPONENT} WHERE \`Component\`='Config'`,
  ]
  await run(build, 'msibuild', [made, ...changes.flatMap((change) => ['-q', change])])
  const summary = await run(build, 'msiinfo', ['suminfo', made])
  const number = /UUID\): (\{[^}]+\})/.exec(summary)?.[1] ?? ''
  makeReproducible(made, number, uuidOf('package', `${build.version} ${program}`), build.sourceEpoch)
  return name
}

/** Replaces the random id and the times in the summary, the only differences between two builds. */
function makeReproducible(path: string, found: string, uuid: string, epoch: number): void {
  const file = readFileSync(path)
  const at = found === '' ? -1 : file.indexOf(found, 0, 'latin1')
  if (at < 0) throw new Error(`${path} has no package code`)
  file.write(`{${uuid}}`, at, 'latin1')
  // The summary is one stream around the id with two times, each preceded by its type (64).
  let times = 0
  for (let offset = at & ~3; offset < at + 256; offset += 4) {
    if (file.readUInt32LE(offset) !== 64) continue
    file.writeBigUInt64LE(BigInt(epoch) * 10_000_000n + 116_444_736_000_000_000n, offset + 4)
    times += 1
    offset += 8
  }
  if (times !== 2) throw new Error(`${path} has ${times} times in its summary instead of 2`)
  writeFileSync(path, file)
}

/** Builds the setup program in `build.out` from the folder of an archive and returns its name. */
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

/** In upper case, as Windows Installer writes it; derived from the text. */
function uuidOf(kind: string, text: string): string {
  const hex = createHash('sha256').update(`vedette-agent ${kind} ${text}`).digest('hex').toUpperCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-A${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
