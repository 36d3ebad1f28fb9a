import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import type { Organization } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Fact, Panel, SkeletonRows } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { changedFields } from '../../lib/edits.ts'
import { count } from '../../lib/format.ts'
import { changePreferences } from '../../lib/preferences.ts'
import { fullDate } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.organization

export function OrganizationSettings() {
  const { client, can, organizationId } = useViewer()
  const { data } = useQuery({
    queryKey: [organizationId, 'organization'],
    queryFn: ({ signal }) => client.organizations.read(organizationId, { signal }),
  })
  if (!data) {
    return (
      <Panel>
        <SkeletonRows rows={4} />
      </Panel>
    )
  }
  return (
    <>
      <Panel title={data.name}>
        <dl className="max-w-md">
          <Fact name={text.plan}>{data.plan}</Fact>
          <Fact name={text.members}>{count(data.member_count)}</Fact>
          <Fact name={text.monitors}>{count(data.monitor_count)}</Fact>
          <Fact name={text.servers}>{count(data.server_count)}</Fact>
          <Fact name={text.created}>
            <Instant at={data.created_at} format={fullDate} />
          </Fact>
          <Fact name={text.id}>
            <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
              {data.id}
              <CopyButton value={data.id} />
            </span>
          </Fact>
        </dl>
      </Panel>
      {can('org:update') && <Rename key={data.name} id={data.id} name={data.name} />}
      {can('org:update') && <Demands key={`${data.require_second_factor} ${data.api_key_max_days}`} organization={data} />}
      {can('org:delete') && <Delete id={data.id} name={data.name} />}
    </>
  )
}

function Rename({ id, name }: { id: string; name: string }) {
  const { client } = useViewer()
  const cache = useCache()
  const save = async (input: { name: string }) => {
    await client.organizations.update(id, input)
    toast(messages.done.saved)
    await Promise.all([cache.invalidateViewer(), cache.invalidate()])
  }
  const form = useForm({ name }, save, { schema: ['PatchOrganizationBody', (input) => input] })
  return (
    <Panel>
      <Form form={form} action={text.rename} variant="plain" isDisabled={form.input.name === name} className="max-w-md pt-1">
        <TextField label={text.name} {...form.field('name')} maxLength={MAX_NAME_LENGTH} required />
      </Form>
    </Panel>
  )
}

function Demands({ organization }: { organization: Organization }) {
  const { client } = useViewer()
  const cache = useCache()
  const initial = {
    require_second_factor: organization.require_second_factor,
    api_key_max_days: organization.api_key_max_days === null ? '' : String(organization.api_key_max_days),
    language: organization.language,
  }
  const save = async (input: typeof initial) => {
    const changes = changedFields(toDemands(initial), toDemands(input))
    if (Object.keys(changes).length > 0) await client.organizations.update(organization.id, changes)
    toast(messages.done.saved)
    await Promise.all([cache.invalidateViewer(), cache.invalidate()])
  }
  const form = useForm(initial, save, { schema: ['PatchOrganizationBody', toDemands] })
  return (
    <Panel title={text.demands}>
      <Form form={form} action={text.save} variant="plain" isDisabled={!form.isDirty} className="max-w-md pt-1">
        <CheckField
          label={text.requireSecondFactor}
          hint={text.requireSecondFactorHint}
          checked={form.input.require_second_factor}
          onChange={({ target }) => form.change({ require_second_factor: target.checked })}
        />
        <TextField
          label={text.apiKeyMaxDays}
          hint={text.apiKeyMaxDaysHint}
          {...form.field('api_key_max_days')}
          // Of a number field a typed `9e` would be empty, and the limit end.
          inputMode="numeric"
        />
        <SelectField label={text.messageLanguage} {...form.field('language')}>
          {Object.entries(LANGUAGES).map(([code, { name }]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
      </Form>
    </Panel>
  )
}

const toDemands = ({
  require_second_factor,
  api_key_max_days: days,
  language,
}: {
  require_second_factor: boolean
  api_key_max_days: string
  language: Organization['language']
}) => ({
  require_second_factor,
  api_key_max_days: days.trim() === '' ? null : Number(days),
  language,
})

function Delete({ id, name }: { id: string; name: string }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await client.organizations.remove(id, { name })
    changePreferences({ organizationId: undefined })
    toast(text.deleted)
    await navigate({ to: '/' })
    cache.remove()
    await cache.invalidateViewer()
  }
  return (
    <Panel title={text.deleteTitle}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">{text.deleteLead}</p>
        <Button variant="danger" onClick={() => setOpen(true)}>
          {text.deleteTitle}
        </Button>
      </div>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={text.deleteTitle}
        description={`${text.deleteLead} ${messages.confirm.cannotUndo}`}
        action={text.deleteTitle}
        name={name}
        onConfirm={remove}
      />
    </Panel>
  )
}
