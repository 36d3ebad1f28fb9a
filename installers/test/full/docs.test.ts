// Runs the commands of the docs in a fresh Debian 12, in the order in which a reader would.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { DIST, type Host, makeHost } from './host.ts'

const root = join(import.meta.dirname, '../../..')
const PAGES = ['README.md', 'docs/guide.md', 'docs/install.md', 'docs/operations.md', 'docs/backup.md', 'docs/uninstall.md']

const URL = 'http://127.0.0.1:18481'

/** What the docs leave to the reader: names of examples, and a service manager, which a chroot does not have. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/vedette\.example\.com(?::8080)?|http:\/\/127\.0\.0\.1:8080/g, URL],
  [/https:\/\/shop\.example\.com\/health/g, `${URL}/readyz`],
  [/\bsrv_01\w+/g, '$(first servers)'],
  [/\bmon_01\w+/g, '$(first monitors)'],
  [/npm run vedette -- probe (.*)/g, '{ vedette probe $1 & }'],
  [/\/backup\/vedette-[\dTZ-]+\.vedette/g, '$(newest)'],
  [/ && journalctl .*/g, ''],
]

/** The commands that are run, each by its beginning; in brackets, what a reader does between two. */
const READER = [
  '# apt-get install ./vedette_0.1.0_amd64.deb',
  [
    'printf "%s\\n" VEDETTE_ADMIN_EMAIL=ada@example.com "VEDETTE_ADMIN_PASSWORD=correct horse battery" VEDETTE_ORGANIZATION=Example',
    'VEDETTE_PORT=18481 VEDETTE_ALLOW_PRIVATE_TARGETS=127.0.0.0/8 VEDETTE_PUSH_INTERVAL_SECONDS=5 VEDETTE_SAMPLE_INTERVAL_SECONDS=1 >>/etc/vedette-backend/vedette.env',
  ],
  '# systemctl enable --now vedette &&',
  ['until curl -fs $URL/readyz >/dev/null; do sleep 0.2; done'],
  '$ URL=',
  '$ TOKEN=',
  '$ curl -s $URL/v1/servers -H',
  '$ curl -s $URL/v1/api-keys',
  '$ chmod 600 agent.key',
  '# apt-get install ./vedette-agent_0.1.0_amd64.deb',
  '# vedette-agent register',
  '# systemctl enable --now vedette-agent',
  ['until vedette-agent status | grep "state: pushing"; do sleep 0.2; done'],
  '$ vedette-agent check',
  '$ vedette-agent status',
  '$ curl -s -X PATCH $URL/v1/servers/',
  '$ curl -s "$URL/v1/servers?tag=ci',
  '$ curl -s $URL/v1/monitors -H',
  '$ curl -s $URL/v1/monitors/test',
  '$ curl -s -X POST $URL/v1/monitors/mon_01m7z3vk2kewwbm06fcdra9ncd/pause',
  '$ curl -s -X POST $URL/v1/monitors/mon_01m7z3vk2kewwbm06fcdra9ncd/resume',
  '$ vedette region add eu-west',
  [
    'vedette region add us-east --name East; (umask 077; vedette region rotate-token eu-west | grep -o "vdt_prb_[A-Za-z0-9_]*" >probe.token)',
  ],
  '$ npm run vedette -- probe',
  '$ curl -s -X PATCH $URL/v1/monitors/mon_',
  '$ curl -s $URL/v1/enrollment-tokens',
  '$ vedette-agent register',
  '$ curl -s -X POST $URL/v1/servers/srv_01m7ynvf68eg0thh1y50mhrd7v/regenerate-token',
  '$ curl -s -X DELETE $URL/v1/servers/',
  '$ vedette status --json',
  ['install -d -o vedette-backend /backup'],
  '$ vedette export',
  '$ vedette import --check',
  '$ vedette backup --to',
  '# systemctl enable --now vedette-backup.timer',
  '# vedette doctor',
  ['cp /var/lib/vedette-backend/secret.key . && systemctl stop vedette && rm -r /var/lib/vedette-backend'],
  '# vedette restore',
  [
    'rm -r /var/lib/vedette-backend && install -d -m 0700 -o vedette-backend /var/lib/vedette-backend',
    '&& install -m 0600 -o vedette-backend secret.key /var/lib/vedette-backend/',
  ],
  '$ vedette import --json',
  ['systemctl start vedette; until curl -fs $URL/readyz >/dev/null; do sleep 0.2; done'],
] as const

/** Commands that this test does not run, by their beginning, and why. */
const NOT_RUN: readonly (readonly [string, string])[] = [
  ['npm start', 'clean-clone.test.ts runs it'],
  ['npm test', 'CI runs it'],
  ['$ npm start', 'clean-clone.test.ts runs it'],
  ['$ cat ', 'shows a file'],
  ['$ export VEDETTE_ADMIN_EMAIL', 'settings of the service here'],
  ['VEDETTE_HOST=0.0.0.0', 'tls.test.ts starts with certificates'],
  ['$ curl -fsSO', 'install-sh.test.ts runs install.sh of a backend that distributes agents'],
  ['$ sudo sh install.sh', 'install-sh.test.ts'],
  ['$ curl -fsS http://127.0.0.1:8080/install.sh', 'install-sh.test.ts'],
  ['$ npm run build', 'the gate runs it'],
  ['$ scp', 'another machine'],
  ['$ ssh', 'another machine'],
  ['$ vedette-agent run', 'the service runs it'],
  ['# dnf', 'packages.test.ts installs the .rpm'],
  ['# mkdir -p /opt/vedette-agent', 'install-sh.test.ts and chroot.test.ts install from the archive'],
  ['# tar -xf', 'chroot.test.ts'],
  ['# current/bin', 'chroot.test.ts'],
  ['$ tar -xf vedette-agent-0.1.0-darwin', 'macOS'],
  ['$ vedette-agent-0.1.0-darwin', 'macOS'],
  ['# /opt/vedette-0.1.0', 'backend-package.test.ts installs the service'],
  ['# vedette service', 'backend-package.test.ts'],
  ['# /opt/vedette-agent', 'chroot.test.ts'],
  ['# rm -rf /opt/vedette-agent', 'deletes what another way of installing left'],
  ['# userdel', 'as above'],
]

/** The commands in the blocks of a page: lines with a prompt and what continues them, without remarks. */
function commandsOf(page: string): string[] {
  const commands: string[] = []
  let isBlock = false
  let isOpen = false
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const text = line.replace(/^ {2}(?=\S)/, '')
    if (text.startsWith('```')) isBlock = !isBlock
    else if (isBlock && /^(?:[$#] |npm |VEDETTE_\w+=.* npm )/.test(text)) commands.push(text.replace(/ {3,}\S.*$/, ''))
    else if (isBlock && (isOpen || /^ {4,}/.test(text))) commands.push(`${commands.pop()}\n${text}`)
    isOpen = isBlock && text.endsWith('\\')
  }
  return commands
}

const all = PAGES.flatMap((page) => commandsOf(page).map((command) => ({ page, command })))
const beginnings = READER.filter((step) => typeof step === 'string')

test('every command of the docs is run here, or says where it is', () => {
  const known = [...beginnings, ...NOT_RUN.map(([start]) => start)]
  expect(all.filter(({ command }) => !known.some((start) => command.startsWith(start)))).toEqual([])
  expect(known.filter((start) => !all.some(({ command }) => command.startsWith(start)))).toEqual([])
})

/** A service manager of a few lines: starts ExecStart of a unit as its user, with its settings. */
const SYSTEMCTL = `#!/bin/bash
verb=$1; shift; [ "$1" = --now ] && shift
case $verb in enable | start | stop) ;; is-*) exit 3 ;; *) exit 0 ;; esac
unit=/lib/systemd/system/\${1%.service}.service
case $1 in *.timer) [ -f /lib/systemd/system/$1 ]; exit;; esac
get() { sed -n "s/^$1=//p" $unit; }
if [ "$verb" = stop ]; then kill $(cat /run/\${1%.service}.pid); while kill -0 $(cat /run/\${1%.service}.pid) 2>/dev/null; do sleep 0.1; done; exit; fi
install -d -m 0700 -o $(get User) /var/lib/$(get StateDirectory)
set -a; for file in $(get EnvironmentFile); do while IFS= read -r line; do case $line in [A-Z]*) export "$line";; esac; done <$file; done
setsid setpriv --reuid $(get User) --regid $(get User) --clear-groups $(get ExecStart) >/root/service.log 2>&1 </dev/null &
echo $! >/run/\${1%.service}.pid`

describe.skipIf(isMissing('root', 'debootstrap', 'chroot', 'mount'))('in a fresh Debian 12', () => {
  let host: Host
  beforeAll(() => {
    host = makeHost('bookworm', ['curl', 'jq'])
    for (const file of ['vedette_0.1.0_amd64.deb', 'vedette-agent_0.1.0_amd64.deb'])
      copyFileSync(join(DIST, file), join(host.root, 'root', file))
    mkdirSync(join(host.root, 'run/systemd/system'), { recursive: true })
    writeFileSync(join(host.root, 'usr/bin/systemctl'), SYSTEMCTL)
    chmodSync(join(host.root, 'usr/bin/systemctl'), 0o755)
    writeFileSync(join(host.root, 'etc/machine-id'), `${'d0c5'.repeat(8)}\n`)
  }, 600_000)
  afterAll(() => host.remove())

  test('every command does what the docs say', () => {
    const script = READER.flatMap((step) => {
      if (typeof step !== 'string') return [`{ ${step.join(' ')}\n} || exit 1`]
      const { command = '' } = all.find((one) => one.command.startsWith(step)) ?? {}
      const body = REPLACED.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), command.slice(2))
      // An error of the API is a failure for curl too.
      return [
        `echo '@ ${step.replaceAll("'", '')}'`,
        `{ ${body.replaceAll('curl -s ', 'curl -s --fail-with-body ')}\n} && echo '@ done' || exit 1`,
      ]
    })
    const helpers = [
      `first() { curl -fs "$URL/v1/$1" -H "Authorization: Bearer $TOKEN" | jq -r ".$1[0].id"; }`,
      'newest() { ls /backup/vedette-*.vedette | tail -1; }',
      'set -o pipefail',
      "trap 'systemctl stop vedette-agent; systemctl stop vedette; kill $(jobs -p) 2>/dev/null; wait' EXIT",
      `URL=${URL}`,
      'cd /root',
    ]
    writeFileSync(join(host.root, 'root/docs.sh'), [...helpers, ...script].join('\n'))
    const { status, output } = host.inside('bash /root/docs.sh')
    expect(status, output).toBe(0)
    expect(output.match(/@ done$/gm)?.length).toBe(beginnings.length)
  }, 300_000)
})
