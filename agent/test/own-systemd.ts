import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tree } from './tree.ts'
import { bareEnvironment } from '../../scripts/test-tools.ts'

/** A bus and a systemd with units of our own, the latter in its own mount and process namespace: it refuses to run elsewhere. */
const SCRIPT = `
set -eu
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile &
until [ -S "$XDG_RUNTIME_DIR/bus" ]; do sleep 0.05; done
/lib/systemd/systemd --user --unit=basic.target &
until systemctl --user is-active --quiet basic.target; do sleep 0.05; done
systemctl --user start "$@" || true
echo ready
wait
`

/** Starts systemd with these units, `started` of which it starts. `root` is a host on whose bus it is. Needs root and `unshare`. */
export async function startSystemd(units: Record<string, string>, started: readonly string[]) {
  const root = tree({})
  const runtime = join(root, 'run/user')
  const folder = join(runtime, 'systemd/user')
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  for (const name of ['proc', 'sys']) symlinkSync(`/${name}`, join(root, name))
  for (const [name, text] of Object.entries(units)) writeFileSync(join(folder, name), text)
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', SCRIPT, 'bash', ...started],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...bareEnvironment(),
        HOME: runtime,
        XDG_RUNTIME_DIR: runtime,
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus`,
      },
    },
  )
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      output += String(piece)
      if (/^ready$/m.test(output)) resolve()
    })
  const ended = once(child, 'exit')
  void ended.then(() => reject(new Error(`systemd ended: ${output}`)))
  await promise
  return {
    root,
    busPath: `${runtime}/bus`,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
