import { useState } from 'react'
import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.weeklySummary

/** Turns the weekly summary of the organization on display on and off, at once. */
export function WeeklySummary() {
  const { client, me, organization } = useViewer()
  const cache = useCache()
  /** What is being saved. */
  const [saving, setSaving] = useState<boolean>()
  if (!organization) return null
  const change = async (isOn: boolean) => {
    setSaving(isOn)
    try {
      await client.me.updateMembership(organization.id, { weekly_summary: isOn })
      await cache.invalidateViewer()
      toast(isOn ? text.on : text.off)
    } finally {
      setSaving(undefined)
    }
  }
  return (
    <Panel title={text.title}>
      <CheckField
        role="switch"
        label={text.label}
        hint={text.hint(organization.name)}
        checked={saving ?? organization.weekly_summary}
        disabled={saving !== undefined}
        onChange={({ target }) => void change(target.checked).catch(toastError)}
      />
      {!me.email_verified && <p className="mt-3 text-soft">{text.unverified}</p>}
    </Panel>
  )
}
