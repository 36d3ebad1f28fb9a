import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing, VEDETTE_AGENT } from '../../scripts/test-tools.ts'
import { makeDeb, makeRpm } from '../build/packages.ts'
import { createBuild, targetOf } from './build.ts'
import { runOnCopy } from '../../scripts/test-overlay.ts'
import { makeKey, newFolder, serveFolder, writeManifest } from './release.ts'

const NAME = 'vedette-agent-0.1.0-linux-x64'
const UNIT = '/etc/systemd/system/vedette-agent.service'

/** A host that runs Debian or derives from it; the packages here are those of x64. */
const cannotCopy = () =>
  process.arch !== 'x64' ||
  isMissing('root', 'unshare', 'chroot', 'mount', 'dpkg', 'dpkg-deb', 'rpm', 'rpmbuild', 'curl', 'openssl') ||
  spawnSync('unshare', ['--mount', 'true']).status !== 0

interface Way {
  install: string
  upgrade: string
  remove: string
  /** What a later way says must be done first. */
  hint: string
}

describe.skipIf(cannotCopy())('two ways to install the agent on one host', () => {
  const ways: Record<string, Way> = {}
  const works: string[] = []
  let server: Server
  beforeAll(async () => {
    const release = newFolder('release')
    const builds = ['0.1.0', '0.1.1'].map((version) => ({ ...createBuild(), version }))
    works.push(release, ...builds.map(({ work }) => work))
    const packages = await Promise.all(
      builds.map(async (build) => {
        mkdirSync(build.out)
        const folder = join(build.work, NAME)
        writeTree(folder, build.version)
        const target = targetOf('linux-x64')
        const deb = await makeDeb(build, target, folder, 0)
        const rpm = await makeRpm(build, target, folder, 0)
        return { deb: join(build.out, deb), rpm: join(build.out, rpm) }
      }),
    )
    const key = makeKey()
    const archives = [join(release, `${NAME}.tar.gz`), join(release, `${NAME}.tar.xz`)]
    for (const path of archives) execFileSync('tar', ['-caf', path, '-C', builds[0]?.work ?? '', NAME])
    writeManifest(release, key, archives)
    const served = await serveFolder(release)
    server = served.server
    const script = `sh ${join(import.meta.dirname, '../scripts/install.sh')} --releases ${served.url} --keys ${join(release, 'release-keys.pem')}`
    const [old, next] = packages
    const linked = '/opt/vedette-agent/current/bin/vedette-agent'
    ways['.deb'] = {
      install: `dpkg --force-depends -i ${old?.deb}`,
      upgrade: `dpkg --force-depends -i ${next?.deb}`,
      remove: 'dpkg -r vedette-agent',
      hint: 'package',
    }
    ways['.rpm'] = {
      install: `rpm -i --nodeps ${old?.rpm}`,
      upgrade: `rpm -U --nodeps ${next?.rpm}`,
      remove: 'rpm -e --nodeps vedette-agent',
      hint: 'package',
    }
    ways['install.sh'] = {
      install: script,
      upgrade: script,
      remove: `${linked} service uninstall && rm -rf /opt/vedette-agent /usr/local/bin/vedette-agent`,
      hint: `${linked} service uninstall`,
    }
    // What `service install` of an archive leaves elsewhere.
    const other = '/srv/agent/bin/vedette-agent'
    ways['archive'] = {
      install: `id vedette >/dev/null 2>&1 || useradd --system vedette; install -d -o vedette /etc/vedette /var/lib/vedette; printf '[Service]\\nExecStart=${other} run\\n' >${UNIT}`,
      upgrade: 'true',
      remove: `rm ${UNIT}`,
      hint: `${other} service uninstall`,
    }
  }, 60_000)
  afterAll(() => {
    server.close()
    for (const folder of works) rmSync(folder, { recursive: true, force: true })
  })

  /** The archive's files with a program that runs the sources. */
  function writeTree(folder: string, version: string): void {
    const program = `#!/bin/sh\n[ "$1" != version ] || exec echo ${version}\nexec ${process.execPath} ${VEDETTE_AGENT} "$@"\n`
    const units = join(folder, 'share/vedette-agent/units')
    for (const made of [join(folder, 'bin'), join(folder, 'lib/vedette'), units]) mkdirSync(made, { recursive: true })
    writeFileSync(join(folder, 'bin/vedette-agent'), program, { mode: 0o755 })
    writeFileSync(join(folder, 'lib/vedette/libatomic.so.1'), '')
    writeFileSync(join(folder, 'share/vedette-agent/LICENSES.txt'), '')
    writeFileSync(
      join(units, 'vedette-agent.service'),
      '[Service]\nExecStart=/opt/vedette-agent/current/bin/vedette-agent run\n[Install]\nWantedBy=multi-user.target\n',
    )
  }

  const REGISTER = `runuser -u vedette -- sh -c 'echo "{}" >/var/lib/vedette/identity.json; echo "url: https://mine.example.com" >/etc/vedette/agent.yaml'`
  const KEPT = 'cat /var/lib/vedette/identity.json /etc/vedette/agent.yaml'
  const REGISTERED = '{}\nurl: https://mine.example.com\n'
  /** The orders to systemd since the last time; after a refusal dpkg has it read its units again. */
  const ORDERS = 'grep -v daemon-reload /root/systemctl.log 2>/dev/null; rm -f /root/systemctl.log'
  /** Where the agent's program and unit are. */
  const STATE = `ls -d /usr/bin/vedette-agent /opt/vedette-agent/current ${UNIT} /lib/systemd/system/vedette-agent.service 2>/dev/null; true`
  const way = (name: string) => {
    const found = ways[name]
    if (!found) throw new Error(`there is no way ${name}`)
    return found
  }

  const names = ['.deb', '.rpm', 'install.sh', 'archive']
  // An archive's `service install` has its own test at the agent.
  const pairs = names.flatMap((first) =>
    names.filter((name) => name !== first && name !== 'archive').map((later) => [first, later]),
  )

  test.each(pairs)(
    '%s then %s: the later is refused, names the first, changes nothing, and follows its removal',
    async (...pair) => {
      const [first, later] = pair.map((name) => way(name ?? ''))
      if (!first || !later) throw new Error('no pair')
      const steps = [first.install, REGISTER, STATE, ORDERS, later.install, STATE, ORDERS, first.upgrade, first.remove, KEPT]
      const results = await runOnCopy([...steps, later.install, STATE, KEPT, later.upgrade, later.remove, STATE, KEPT])
      const [installed, registered, before, , refused, after, orders, upgraded, removed, kept, ...rest] = results
      expect([installed, registered, upgraded, removed].map((result) => result?.status)).toEqual([0, 0, 0, 0])
      expect(refused?.status).not.toBe(0)
      expect(refused?.output).toContain(first.hint)
      expect(after).toEqual(before)
      expect(orders?.output).toBe('')
      expect(kept?.output).toBe(REGISTERED)
      const [followed, there, still, again, gone, nothing, end] = rest
      expect([followed?.status, again?.status, gone?.status]).toEqual([0, 0, 0])
      expect(there?.output).not.toBe('')
      expect([still?.output, nothing?.output, end?.output]).toEqual([REGISTERED, '', REGISTERED])
    },
    60_000,
  )

  test('a purge of the removed .deb leaves config, state and user to the agent that followed', async () => {
    const steps = [
      way('.deb').install,
      REGISTER,
      way('.deb').remove,
      way('install.sh').install,
      'dpkg -P vedette-agent',
      KEPT,
      'id -un vedette',
    ]
    const results = await runOnCopy([...steps, STATE])
    expect(results.slice(0, 5).map(({ status }) => status)).toEqual([0, 0, 0, 0, 0])
    expect(results[4]?.output).toContain('kept config, state and user')
    expect(results.slice(5).map(({ output }) => output)).toEqual([
      REGISTERED,
      'vedette\n',
      `${UNIT}\n/opt/vedette-agent/current\n`,
    ])
  }, 60_000)

  test('where both are already, the removal of each leaves the other running', async () => {
    const both = [
      way('install.sh').install,
      'mv /opt/vedette-agent /opt/aside',
      `mv ${UNIT} /root/unit`,
      way('.deb').install,
      REGISTER,
    ]
    const back = ['mv /opt/aside /opt/vedette-agent', `mv /root/unit ${UNIT}`, ORDERS]
    const script = way('install.sh').install
    const ofPackage = await runOnCopy([...both, ...back, 'dpkg -r vedette-agent', ORDERS, STATE])
    expect(ofPackage.at(-2)?.output).not.toContain('vedette-agent.service')
    expect(ofPackage.at(-1)?.output).toBe(`${UNIT}\n/opt/vedette-agent/current\n`)

    const ofScript = await runOnCopy([...both, ...back, `${script} --uninstall --purge`, `${script} --uninstall`, STATE, KEPT])
    const [purge, uninstall, state, kept] = ofScript.slice(-4)
    expect([purge?.status, purge?.output]).toEqual([1, expect.stringContaining('without --purge')])
    expect([uninstall?.status, uninstall?.output]).toEqual([0, expect.stringContaining('systemctl enable --now vedette-agent')])
    expect(state?.output).toBe('/lib/systemd/system/vedette-agent.service\n/usr/bin/vedette-agent\n')
    expect(kept?.output).toBe(REGISTERED)
  }, 60_000)

  test('install.sh --uninstall leaves an agent alone that it did not install', async () => {
    for (const name of ['.deb', 'archive']) {
      const steps = [way(name).install, REGISTER, ORDERS, `${way('install.sh').install} --uninstall --purge`, ORDERS, STATE, KEPT]
      const results = await runOnCopy(steps)
      expect([results[3]?.status, results[3]?.output]).toEqual([1, expect.stringContaining(way(name).hint)])
      expect(results[4]?.output).toBe('')
      expect([results[5]?.output === '', results[6]?.output]).toEqual([false, REGISTERED])
    }
  }, 60_000)

  test('an edited unit of the package is no other way', async () => {
    const edited = `sed 's/^MemoryMax=.*/MemoryMax=400M/' /lib/systemd/system/vedette-agent.service >${UNIT}`
    const results = await runOnCopy([way('.deb').install, edited, way('.deb').upgrade, ORDERS, way('.deb').remove, ORDERS])
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0])
    expect(results[3]?.output).toContain('systemctl try-restart vedette-agent.service')
    expect(results[5]?.output).toContain('systemctl disable --now vedette-agent.service')
  }, 60_000)
})
