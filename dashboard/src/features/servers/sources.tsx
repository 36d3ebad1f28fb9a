import type { ServerDetails } from '@vedette/shared'
import { OPTIONAL_SOURCES, type OptionalSource } from '@vedette/shared/tables'
import { useState } from 'react'
import { CodeLines } from '../../components/copy.tsx'
import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { sources as text } from '../../messages/sources.ts'

const RESTART = 'sudo systemctl restart vedette-agent'
const inConfig = (line: string) => `echo '${line}' | sudo tee -a /etc/vedette/agent.yaml`

/** What lets the agent of a Linux host read it: the same in each language. */
const ALLOW: Readonly<Record<OptionalSource, readonly string[]>> = {
  containers: [inConfig('containers: true'), RESTART],
  disks: ['sudo systemctl enable --now vedette-smart.timer', inConfig('smart: true'), RESTART],
  units: [inConfig('units: ["*.service"]'), RESTART],
  gpus: [RESTART],
  ups: [inConfig('ups: ["ups@localhost"]'), RESTART],
}
const caution: Readonly<Partial<Record<OptionalSource, string>>> = text.caution

/** A switch for each optional source that the agent found. What its own configuration does not allow cannot be switched on here. */
export default function Sources({ server }: { server: ServerDetails }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const { id, sources, sources_off: off } = server
  /** What is being saved. */
  const [saving, setSaving] = useState<readonly OptionalSource[]>()
  const found = OPTIONAL_SOURCES.filter((source) => sources?.[source] !== undefined)
  if (found.length === 0) return null
  const change = async (source: OptionalSource, isOn: boolean) => {
    const next = OPTIONAL_SOURCES.filter((each) => (each === source ? !isOn : off.includes(each)))
    setSaving(next)
    try {
      cache.set(['servers', id], await client.servers.update(id, { sources_off: next }))
      toast(text.saved(text.names[source], isOn))
    } finally {
      setSaving(undefined)
    }
  }
  return (
    <Panel title={text.title}>
      <p className="mb-3 text-muted">{text.lead}</p>
      <ul className="grid gap-3">
        {found.map((source) => {
          const isAllowed = sources?.[source] === true
          return (
            <li key={source} className="grid min-w-0 gap-2">
              <CheckField
                role="switch"
                label={text.names[source]}
                hint={text.what[source]}
                checked={isAllowed && !(saving ?? off).includes(source)}
                disabled={!isAllowed || saving !== undefined || !can('servers:admin')}
                onChange={({ target }) => void change(source, target.checked).catch(toastError)}
              />
              {!isAllowed && <HowToAllow source={source} />}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function HowToAllow({ source }: { source: OptionalSource }) {
  return (
    <div className="ml-6.5 grid min-w-0 gap-1.5 text-[0.9rem] text-soft">
      <p>{text.locked}</p>
      <CodeLines label={`${text.names[source]}: ${text.locked}`} lines={ALLOW[source]} />
      {caution[source] !== undefined && <p className="text-muted">{caution[source]}</p>}
    </div>
  )
}
