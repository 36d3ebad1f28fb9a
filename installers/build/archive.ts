import { createReadStream, createWriteStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { crc32, createGzip, deflateRaw } from 'node:zlib'
import { type Build, run } from './tools.ts'

/** Packs `folder` (a name in `parent`) reproducibly: one time, one owner, sorted. */
export async function packTar(build: Build, parent: string, folder: string): Promise<string> {
  const path = join(build.work, `${folder}.tar`)
  const same = ['--format=ustar', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${build.sourceEpoch}`]
  await run(build, 'tar', ['-C', parent, ...same, '--mode=u+rwX,go+rX,go-w', '-cf', path, folder])
  return path
}

/**
 * Compresses a tar into `build.out` and returns the file name. One thread, so that the bytes do not depend on the machine. The filter
 * for x86 saves 4 %; older versions of xz do not have the one for arm64.
 */
export async function compressXz(build: Build, tar: string, arch: string, level: number): Promise<string> {
  const name = `${basename(tar)}.xz`
  const filters = [...(arch === 'x64' ? ['--x86'] : []), `--lzma2=preset=${level}`]
  const script = 'to=$1; from=$2; shift 2; exec xz -T1 --check=crc64 "$@" -c "$from" >"$to"'
  await run(build, 'sh', ['-c', script, 'xz', join(build.out, name), tar, ...filters])
  return name
}

/** Compresses a tar into `build.out` and returns the file name. */
export async function compressGzip(build: Build, tar: string): Promise<string> {
  const name = `${basename(tar)}.gz`
  await pipeline(createReadStream(tar), createGzip({ level: 6 }), createWriteStream(join(build.out, name)))
  return name
}

/** Sorted paths of the files below `folder`, with `/`. */
export function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort()
}

/** Packs `folder` (a name in `parent`) as a zip that Windows can unpack: deflate, no extensions. */
export async function packZip(build: Build, parent: string, folder: string): Promise<string> {
  const time = dosTime(build.sourceEpoch)
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  const files = filesBelow(join(parent, folder))
  for (const file of files) {
    const name = Buffer.from(`${folder}/${file}`)
    const bytes = readFileSync(join(parent, folder, file))
    const packed = await promisify(deflateRaw)(bytes, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0) // version that can read it
    common.writeUInt16LE(8, 4) // deflate
    common.writeUInt32LE(time, 6)
    for (const [index, value] of [crc32(bytes), packed.length, bytes.length].entries())
      common.writeUInt32LE(value, 10 + index * 4)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name])
    const entry = Buffer.alloc(14) // comment, disk, attributes: none
    entry.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, entry, name]))
    parts.push(local, packed)
    offset += local.length + packed.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  for (const at of [8, 10]) end.writeUInt16LE(files.length, at)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  const name = `${folder}.zip`
  writeFileSync(join(build.out, name), Buffer.concat([...parts, entries, end]))
  return name
}

function dosTime(epoch: number): number {
  const at = new Date(epoch * 1000)
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}
