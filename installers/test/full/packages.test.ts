import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { makeDeb, makeRpm } from '../../build/packages.ts'
import type { Build } from '../../build/tools.ts'
import { createBuild, targetOf } from '../build.ts'
import { DIST, type Host, makeHost } from './host.ts'

const NAME = 'vedette-agent-0.1.0-linux-x64'

/** The next version of both packages, of the same program, hardly compressed: what is tested is how one takes the other's place. */
async function makeNext(): Promise<{ build: Build; deb: string; rpm: string }> {
  const build = { ...createBuild(), version: '0.1.1' }
  mkdirSync(build.out)
  execFileSync('tar', ['-C', build.work, '-xf', join(DIST, `${NAME}.tar.xz`)])
  const target = targetOf('linux-x64')
  const folder = join(build.work, NAME)
  return { build, deb: await makeDeb(build, target, folder, 0), rpm: await makeRpm(build, target, folder, 0) }
}

describe.skipIf(isMissing('root', 'debootstrap', 'chroot', 'mount', 'tar', 'dpkg-deb', 'rpmbuild', 'rpm'))(
  'the packages of the agent',
  () => {
    let next: Awaited<ReturnType<typeof makeNext>>
    beforeAll(async () => {
      next = await makeNext()
    }, 120_000)
    afterAll(() => rmSync(next.build.work, { recursive: true }))

    /** The life of a package; both kinds promise the same but for the purge. */
    describe('.deb, on a bare bookworm', () => {
      let host: Host
      const path = (name: string) => join(host.root, name)
      beforeAll(() => {
        host = makeHost('bookworm')
        copyFileSync(join(DIST, 'vedette-agent_0.1.0_amd64.deb'), path('root/old.deb'))
        copyFileSync(join(next.build.out, next.deb), path('root/new.deb'))
      }, 300_000)
      afterAll(() => host.remove())

      test('is refused on a host with the data of a backend, and does not change that', () => {
        for (const name of ['secret.key', 'postgres.passwords.json']) {
          host.inside(`install -d -m 700 /var/lib/vedette && touch /var/lib/vedette/${name}`)
          const refused = host.inside('dpkg -i /root/old.deb')
          expect(refused.status).not.toBe(0)
          expect(refused.output).toContain('a Vedette backend stores its data in /var/lib/vedette')
          expect(host.inside('stat -c "%U" /var/lib/vedette; ls /usr/bin/vedette-agent 2>/dev/null').output).toBe('root\n')
          host.inside('rm -r /var/lib/vedette')
        }
      }, 60_000)

      test('installs without apt, with a user that owns config and state, without starting the service', () => {
        expect(host.inside('dpkg -i /root/old.deb')).toMatchObject({ status: 0 })
        expect(host.inside('vedette-agent version').output).toBe('0.1.0\n')
        const owned = host.inside(
          'stat -c "%a %U:%G %n" /etc/vedette /etc/vedette/agent.yaml /var/lib/vedette /usr/bin/vedette-agent',
        )
        expect(owned.output.split('\n')).toEqual([
          '750 vedette:vedette /etc/vedette',
          '600 vedette:vedette /etc/vedette/agent.yaml',
          '700 vedette:vedette /var/lib/vedette',
          '755 root:root /usr/bin/vedette-agent',
          '',
        ])
        expect(readFileSync(path('lib/systemd/system/vedette-agent.service'), 'utf8')).toContain(
          'ExecStart=/usr/bin/vedette-agent run\n',
        )
        expect(existsSync(path('etc/systemd/system/multi-user.target.wants/vedette-agent.service'))).toBe(false)
        expect(host.inside('dpkg --verify vedette-agent').output).toBe('')
        expect(host.inside('runuser -u vedette -- vedette-agent sample').status).toBe(0)
      }, 60_000)

      test('has its licence, its changes and no conffile', () => {
        const docs = path('usr/share/doc/vedette-agent')
        expect(readFileSync(join(docs, 'copyright'), 'utf8')).toContain('License: Apache-2.0')
        const changes = gunzipSync(readFileSync(join(docs, 'changelog.gz'))).toString()
        expect(changes).toMatch(
          /^vedette-agent \(0\.1\.0\) unstable; urgency=medium\n\n( {2}\* .+\n){20,}\n -- .+ {2}\w{3}, \d\d /,
        )
        expect(host.inside("dpkg-query -W -f '${Homepage} [${Conffiles}]' vedette-agent").output).toBe(
          'https://vedette.invalid/ []',
        )
      })

      test('asks nothing where install.sh wrote a config before, and keeps that', () => {
        const other = makeHost('bookworm')
        copyFileSync(join(next.build.out, next.deb), join(other.root, 'root/new.deb'))
        other.inside('mkdir -p /etc/vedette && echo "url: https://mine.example.com" > /etc/vedette/agent.yaml')
        expect(other.inside('dpkg -i /root/new.deb </dev/null')).toMatchObject({ status: 0 })
        expect(other.inside('cat /etc/vedette/agent.yaml; stat -c "%a %U" /etc/vedette/agent.yaml').output).toBe(
          'url: https://mine.example.com\n600 vedette\n',
        )
        other.remove()
      }, 60_000)

      test('keeps an edited config in an upgrade', () => {
        appendFileSync(path('etc/vedette/agent.yaml'), 'tags: [mine]\n')
        expect(host.inside('touch /var/lib/vedette/kept && dpkg -i /root/new.deb')).toMatchObject({ status: 0 })
        expect(host.inside('dpkg-query -W vedette-agent').output).toBe('vedette-agent\t0.1.1\n')
        expect(readFileSync(path('etc/vedette/agent.yaml'), 'utf8')).toContain('tags: [mine]')
        expect(host.inside('stat -c "%a %U" /etc/vedette/agent.yaml').output).toBe('600 vedette\n')
      }, 60_000)

      test('keeps config and state when removed, and nothing when purged', () => {
        expect(host.inside('dpkg -r vedette-agent')).toMatchObject({ status: 0 })
        const left = () =>
          ['usr/bin/vedette-agent', 'usr/lib/vedette', 'etc/vedette/agent.yaml', 'var/lib/vedette/kept'].filter((name) =>
            existsSync(path(name)),
          )
        expect(left()).toEqual(['etc/vedette/agent.yaml', 'var/lib/vedette/kept'])
        expect(host.inside('dpkg -P vedette-agent')).toMatchObject({ status: 0 })
        expect(left()).toEqual([])
        expect(existsSync(path('var/lib/vedette'))).toBe(false)
        expect(host.inside('getent passwd vedette').status).toBe(2)
      })

      test('keeps the data of a later backend when purged', () => {
        expect(host.inside('dpkg -i /root/new.deb').status).toBe(0)
        expect(host.inside('touch /var/lib/vedette/secret.key && dpkg -P vedette-agent')).toMatchObject({ status: 0 })
        expect(existsSync(path('var/lib/vedette/secret.key'))).toBe(true)
        expect(existsSync(path('etc/vedette'))).toBe(false)
      }, 60_000)
    })

    describe('.rpm, in a scratch root', () => {
      let host: Host
      const path = (name: string) => join(host.root, name)
      const rpm = (...args: string[]) =>
        execFileSync('rpm', ['--root', host.root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      beforeAll(() => {
        host = makeHost('bookworm')
      }, 300_000)
      afterAll(() => host.remove())

      test('installs with its user, keeps an edited config in an upgrade, and keeps config and state when erased', () => {
        host.inside('mkdir -p /var/lib/vedette && touch /var/lib/vedette/secret.key')
        expect(() => rpm('-i', '--nodeps', join(DIST, 'vedette-agent-0.1.0-1.x86_64.rpm'))).toThrow(/a Vedette backend stores/)
        host.inside('rm -r /var/lib/vedette')
        rpm('-i', '--nodeps', join(DIST, 'vedette-agent-0.1.0-1.x86_64.rpm'))
        expect(rpm('-q', '--queryformat', '%{URL}', 'vedette-agent')).toBe('https://vedette.invalid/')
        expect(rpm('-q', '--changelog', 'vedette-agent')).toMatch(/^\* .+ - 0\.1\.0-1\n- /)
        expect(host.inside('vedette-agent version').output).toBe('0.1.0\n')
        expect(host.inside('stat -c "%a %U" /etc/vedette/agent.yaml /var/lib/vedette').output).toBe('600 vedette\n700 vedette\n')

        appendFileSync(path('etc/vedette/agent.yaml'), 'tags: [mine]\n')
        rpm('-U', '--nodeps', join(next.build.out, next.rpm))
        expect(rpm('-q', 'vedette-agent')).toBe('vedette-agent-0.1.1-1.x86_64\n')
        expect(readFileSync(path('etc/vedette/agent.yaml'), 'utf8')).toContain('tags: [mine]')

        expect(host.inside('touch /var/lib/vedette/kept').status).toBe(0)
        rpm('-e', '--nodeps', 'vedette-agent')
        expect(existsSync(path('usr/bin/vedette-agent'))).toBe(false)
        expect(readFileSync(path('etc/vedette/agent.yaml'), 'utf8')).toContain('tags: [mine]')
        expect(statSync(path('var/lib/vedette/kept')).isFile()).toBe(true)
      }, 120_000)
    })
  },
)
