import type { CreateApiKeyBody } from '@vedette/shared'
import { DAY_MS, MAX_NAME_LENGTH, type Scope, SCOPES, scopesHave } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog, SecretDialog } from '../../components/dialog.tsx'
import { CheckField, CheckList, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.keys
const EXPIRY_DAYS = { never: undefined, day: 1, month: 30, year: 365 } as const
type Expiry = keyof typeof EXPIRY_DAYS

interface KeyInput {
  name: string
  scopes: readonly string[]
  expiry: Expiry
  /** Separated by commas or spaces. */
  networks: string
  endsWithCreator: boolean
  isOfNodes: boolean
  dedupLabel: string
  /** Separated by commas or spaces. */
  dropLabels: string
}
const NEW_KEY: KeyInput = {
  name: '',
  scopes: ['read'],
  expiry: 'never',
  networks: '',
  endsWithCreator: false,
  isOfNodes: false,
  dedupLabel: '',
  dropLabels: '',
}

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** What happens to series that come with the key; nothing of it where the key may not send some. */
function seriesOf({ scopes, isOfNodes, dedupLabel, dropLabels }: KeyInput): Partial<CreateApiKeyBody> {
  if (!scopesHave(scopes as Scope[], 'series:write')) return {}
  return {
    job_kind: isOfNodes && scopesHave(scopes as Scope[], 'servers:register') ? 'node' : null,
    dedup_label: dedupLabel === '' ? null : dedupLabel,
    drop_labels: listOf(dropLabels),
  }
}

/** Creates a key and shows its secret once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { client, organization, organizationId } = useViewer()
  const { data } = useQuery({
    queryKey: [organizationId, 'organization'],
    queryFn: ({ signal }) => client.organizations.read(organizationId, { signal }),
  })
  const cache = useCache()
  const [secret, setSecret] = useState<string>()
  const maxDays = data?.api_key_max_days ?? undefined
  const toBody = (input: KeyInput) => {
    const { name, scopes, expiry, networks, endsWithCreator } = input
    const days = expiry === 'never' ? maxDays : EXPIRY_DAYS[expiry]
    const expires_at = days === undefined ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    const allowed_cidrs = listOf(networks)
    return { name, scopes: scopes as Scope[], expires_at, allowed_cidrs, ends_with_creator: endsWithCreator, ...seriesOf(input) }
  }
  const attempt = useRef<{ idempotencyKey: string; body: ReturnType<typeof toBody> }>(undefined)
  const create = async (input: KeyInput, idempotencyKey: string) => {
    // A repeat with another time of expiry would be another request.
    if (attempt.current?.idempotencyKey !== idempotencyKey) attempt.current = { idempotencyKey, body: toBody(input) }
    try {
      setSecret((await client.apiKeys.create(attempt.current.body, { idempotencyKey })).key)
    } finally {
      // Also after an error: a key whose secret was lost on the way has to be seen and revoked.
      await cache.invalidate('api-keys')
    }
  }
  const form = useForm(NEW_KEY, create, { schema: ['CreateApiKeyBody', toBody] })
  if (secret !== undefined) {
    return (
      <SecretDialog onClose={onClose} title={text.secretTitle} description={text.secretLead}>
        <CodeLines label={text.secret} lines={[secret]} />
        <CodeLines label={text.example} lines={[`curl ${location.origin}/v1/servers -H 'X-API-Key: ${secret}'`]} />
      </SecretDialog>
    )
  }
  const { input, change } = form
  const grantable = SCOPES.filter((scope) => scope !== 'admin' || organization?.role === 'owner')
  return (
    <Dialog isOpen onClose={onClose} title={text.create}>
      <Form form={form} action={text.create} isDisabled={input.scopes.length === 0}>
        <TextField label={text.name} hint={text.nameHint} {...form.field('name')} maxLength={MAX_NAME_LENGTH} required />
        <CheckList
          label={text.scopes}
          options={grantable.map((value) => ({ value, label: value, hint: settingsPages.scopes[value] }))}
          chosen={input.scopes}
          onChange={(scopes) => change({ scopes })}
          className="grid gap-2"
        />
        <SelectField label={text.expires} {...form.field('expiry', 'expires_at')}>
          {(Object.keys(EXPIRY_DAYS) as Expiry[])
            .filter((each) => (EXPIRY_DAYS[each] ?? 0) <= (maxDays ?? Infinity))
            .map((each) => (
              <option key={each} value={each}>
                {each === 'never' && maxDays !== undefined ? text.inDays(maxDays) : text.expiry[each]}
              </option>
            ))}
        </SelectField>
        <TextField label={text.networks} hint={text.networksHint} {...form.field('networks', 'allowed_cidrs')} mono />
        <CheckField
          label={text.endsWithCreator}
          checked={input.endsWithCreator}
          onChange={({ target }) => change({ endsWithCreator: target.checked })}
        />
        <SeriesFields form={form} />
      </Form>
    </Dialog>
  )
}

function SeriesFields({ form }: { form: FormState<KeyInput> }) {
  const { input, change } = form
  const scopes = input.scopes as Scope[]
  if (!scopesHave(scopes, 'series:write')) return null
  return (
    <>
      {scopesHave(scopes, 'servers:register') && (
        <CheckField
          label={text.isOfNodes}
          checked={input.isOfNodes}
          onChange={({ target }) => change({ isOfNodes: target.checked })}
        />
      )}
      <TextField label={text.dedupLabel} hint={text.dedupLabelHint} {...form.field('dedupLabel', 'dedup_label')} mono />
      <TextField label={text.dropLabels} hint={text.dropLabelsHint} {...form.field('dropLabels', 'drop_labels')} mono />
    </>
  )
}
