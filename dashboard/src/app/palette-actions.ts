import type { IncidentItem, MonitorItem, ServerItem } from '@vedette/shared'
import { HOUR_MS, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { Activity, BellOff, Eye, type IconComponent, Pause, Play } from '../components/icons.tsx'
import { toast, toastError } from '../components/toast.tsx'
import { useCache, useViewer } from '../lib/api.ts'
import { useCheckNow } from '../components/check-now.ts'
import { serverName } from '../lib/server-name.ts'
import { clock } from '../lib/time.ts'
import { messages } from '../messages/index.ts'
import { paletteActions } from '../messages/palette-actions.ts'
import type { PaletteCommand } from './palette-command.ts'

const text = paletteActions

/** What the palette found. */
export interface PaletteFound {
  servers: readonly ServerItem[]
  monitors: readonly MonitorItem[]
  incidents: readonly IncidentItem[]
}

export interface PaletteAction {
  command: PaletteCommand
  key: string
  label: string
  Icon: IconComponent
  open: () => void
}

/** What can be done with what is found, in its order; nothing for those who may not change it. */
export function usePaletteActions(): (found: PaletteFound) => PaletteAction[] {
  const { client, can } = useViewer()
  const cache = useCache()
  const checkNow = useCheckNow()
  const action = (command: PaletteCommand, id: string, name: string, Icon: IconComponent, act: () => Promise<unknown>) => ({
    command,
    key: `${command} ${id}`,
    label: text[command](name),
    Icon,
    open: () => void act().catch(toastError),
  })
  const acknowledge = async (id: string) => {
    await client.incidents.acknowledge(id, {})
    toast(messages.incidents.acknowledged)
    await cache.invalidate('incidents')
  }
  const setPaused = async (id: string, pause: boolean): Promise<void> => {
    await (pause ? client.monitors.pause(id) : client.monitors.resume(id))
    toast(pause ? messages.monitors.paused(1) : messages.monitors.resumed(1), () => setPaused(id, !pause))
    await cache.invalidate('monitors')
  }
  const silence = async (type: 'monitor' | 'server', id: string, name: string) => {
    const nowMs = Date.now()
    const endsMs = nowMs + HOUR_MS
    const window = await client.maintenanceWindows.create({
      name: text.silence(name).slice(0, MAX_NAME_LENGTH),
      target: { type, id },
      starts_at: new Date(nowMs).toISOString(),
      ends_at: new Date(endsMs).toISOString(),
    })
    toast(text.silenced(name, clock(endsMs)), async () => {
      await client.maintenanceWindows.remove(window.id)
      await cache.invalidate('maintenance-windows')
    })
    await cache.invalidate('maintenance-windows')
  }
  return ({ servers, monitors, incidents }) => {
    if (!can('monitors:update')) return []
    return [
      ...incidents
        .filter(({ status }) => status === 'open')
        .map(({ id, summary }) => action('acknowledge', id, summary, Eye, () => acknowledge(id))),
      ...monitors.flatMap(({ id, name, type, status }) => [
        ...(status === 'paused' || type === 'heartbeat' || type === 'composite'
          ? []
          : [action('check', id, name, Activity, () => checkNow(id))]),
        status === 'paused'
          ? action('resume', id, name, Play, () => setPaused(id, false))
          : action('pause', id, name, Pause, () => setPaused(id, true)),
        action('silence', id, name, BellOff, () => silence('monitor', id, name)),
      ]),
      ...servers.map((server) =>
        action('silence', server.id, serverName(server), BellOff, () => silence('server', server.id, serverName(server))),
      ),
    ]
  }
}
