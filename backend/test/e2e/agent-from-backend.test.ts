import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spawnSync } from 'node:child_process'
import { runOnCopy } from '../../../scripts/test-overlay.ts'
import { isMissing } from '../../../scripts/test-tools.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from '../harness.ts'

const cannotCopy = () =>
  isMissing('root', 'unshare', 'chroot', 'mount', 'curl', 'runuser') || spawnSync('unshare', ['--mount', 'true']).status !== 0

const AGENT = '/usr/local/bin/vedette-agent'
/** What a host without other packages does not have, or must not use here. */
const BARE = 'rm -f /lib/*/libatomic.so.1* /usr/lib/*/libatomic.so.1*; ! ls /usr/lib/*/libatomic.so.1 2>/dev/null'
/** Waits until the backend has accepted a sample, for a minute at most. */
const ACCEPTED = `for second in $(seq 60); do
  ! ${AGENT} status --json 2>/dev/null | grep -q '"last_accepted_at": "' || break
  sleep 1
done
[ "$second" -lt 60 ] || exit 1`
/** Runs the agent as the service does. */
const PUSH = `runuser -u vedette -- ${AGENT} run >/mnt/vedette-log 2>&1 & agent=$!\n${ACCEPTED}\nkill $agent`
/** Everything that the line may write. */
const list = (name: string) =>
  `find /etc /opt /usr/local /var/lib /var/log -xdev ! -path '/etc/*-' ! -name .pwd.lock | sort >/mnt/vedette-${name}`

describe.skipIf(cannotCopy())('the install line of a backend without a release', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let line = ''
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-data-'))
  beforeAll(async () => {
    const environment = { VEDETTE_DATA_DIR: dataDir, VEDETTE_SAMPLE_INTERVAL_SECONDS: '1', VEDETTE_PUSH_INTERVAL_SECONDS: '5' }
    backend = await startTestBackend({ environment, startMs: Date.now() })
    organization = await backend.organization()
    const as = await backend.member(organization, 'owner')
    const { body } = await backend.call('POST', '/v1/enrollment-tokens', { as, body: { uses: 5, expires_in_minutes: 60 } })
    line = `curl -fsS http://127.0.0.1:${await backend.listen()}/install.sh | sh -s -- ${body.token}`
  })
  afterAll(async () => {
    await backend.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const servers = async () => {
    const as = await backend.member(organization, 'viewer')
    return (await backend.call('GET', '/v1/servers', { as })).body.servers as { id: string; agent_version: string }[]
  }

  it('installs, registers and starts the agent, which pushes; again it updates; uninstall leaves nothing [INSTALL-08]', async () => {
    const steps = [
      BARE,
      list('before'),
      line,
      'cat /root/systemctl.log; rm /root/systemctl.log',
      PUSH,
      line.replace(/vdt_enr_\w+/, 'vdt_enr_ended'),
      line.replace(/vdt_enr_\w+/, 'uninstall'),
      `${list('after')}; diff /mnt/vedette-before /mnt/vedette-after; id vedette`,
    ]
    const results = await runOnCopy(steps)
    const [, , , orders, pushed, again, uninstalled, left] = results
    expect(results.slice(0, 3).map(({ status, output }) => [status, output])).toEqual([
      [0, ''],
      [0, ''],
      [
        0,
        expect.stringMatching(
          /^(verified by openssl|verified by ssh-keygen|not verified).*\nregistered as srv_\w+\nvedette-agent \S+ is installed\n$/,
        ),
      ],
    ])
    expect(orders?.output).toBe(
      ['daemon-reload', 'enable vedette-agent.service', 'restart vedette-agent.service']
        .map((each) => `systemctl ${each}\n`)
        .join(''),
    )
    expect([pushed?.status, await servers()]).toEqual([
      0,
      [expect.objectContaining({ agent_version: expect.stringMatching(/^\d/) })],
    ])
    expect([again?.status, again?.output]).toEqual([0, expect.stringContaining('the agent goes on with the one that it has')])
    expect([uninstalled?.status, left?.output]).toEqual([0, expect.stringMatching(/^id: .*no such user\n$/)])
  })

  it('in a container runs in place of the shell, gets its signals, and registers once', async () => {
    const inContainer = line.replace('| sh -s --', '>/mnt/install.sh && exec sh /mnt/install.sh --foreground')
    const [begin = '', repeat = ''] = [inContainer, inContainer.replace(/vdt_enr_\w+/, 'vdt_enr_ended')].map(
      (command) =>
        `( ${command} ) >/mnt/vedette-log 2>&1 & agent=$!\n${ACCEPTED}\nps -o user= -p $agent; kill $agent; wait $agent; echo "ended: $?"; cat /mnt/vedette-log`,
    )
    const [first, , again] = await runOnCopy([begin, 'rm /var/lib/vedette/status.json', repeat])
    expect([first?.status, first?.output]).toEqual([0, expect.stringMatching(/^vedette\nended: 0\n[^]*registered as srv_/)])
    expect([again?.status, again?.output]).toEqual([0, expect.stringMatching(/^vedette\nended: 0\n(?![^]*regist)/)])
  })

  it('refuses an agent that another key signed, and changes nothing [INSTALL-08]', async () => {
    const [url = ''] = /http:\S+/.exec(line) ?? []
    const other = `curl -fsS ${url} | sed 's/^# ssh-ed25519 .*/# ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/; s/^MCowBQYDK2VwAyEA.*/MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=/' | sh -s -- vdt_enr_x`
    const [refused, there] = await runOnCopy([other, 'ls -d /opt/vedette-agent /etc/vedette'])
    expect([refused?.status, refused?.output]).toEqual([1, expect.stringContaining('REFUSED: the signature of the agent')])
    expect(there?.status).not.toBe(0)
  })
})
