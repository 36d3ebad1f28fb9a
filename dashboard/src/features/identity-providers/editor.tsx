import type { CreateIdentityProviderBody, IdentityProvider, ProvidedRole } from '@vedette/shared'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Origin, useOverwriteQuestion } from '../../components/managed.tsx'
import { toast } from '../../components/toast.tsx'
import { useUndo } from '../../components/use-undo.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { changedFields } from '../../lib/edits.ts'
import { roleName } from '../../lib/roles.ts'
import { useForm } from '../../lib/use-form.ts'
import { identityProviders as text } from '../../messages/identity-providers.ts'

/** Those that a provider may give. */
const ROLES: readonly ProvidedRole[] = ['viewer', 'member', 'admin']

interface Input {
  name: string
  kind: IdentityProvider['kind']
  issuer: string
  client_id: string
  client_secret: string
  /** Separated by commas or blanks. */
  domains: string
  creates: boolean
  role: ProvidedRole
  claim: string
  /** `value = role`, separated by commas. */
  mapping: string
  enabled: boolean
}

const toInput = (provider: IdentityProvider | undefined): Input => ({
  name: provider?.name ?? '',
  kind: provider?.kind ?? 'oidc',
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  domains: provider?.email_domains.join(', ') ?? '',
  creates: provider?.creates_accounts ?? false,
  role: provider?.default_role ?? 'viewer',
  claim: provider?.role_claim ?? '',
  mapping: provider?.role_mapping.map(({ value, role }) => `${value} = ${role}`).join(', ') ?? '',
  enabled: provider?.enabled ?? true,
})

function toMapping(text: string) {
  return text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      // A value may have the sign, a role has not.
      const at = pair.lastIndexOf('=')
      return { value: pair.slice(0, Math.max(0, at)).trim(), role: pair.slice(at + 1).trim() as ProvidedRole }
    })
}

const toPatch = ({ name, client_id, client_secret, domains, creates, role, claim, mapping, enabled }: Input) => ({
  name,
  client_id,
  ...(client_secret !== '' && { client_secret }),
  email_domains: domains
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((domain) => domain !== ''),
  creates_accounts: creates,
  default_role: role,
  role_claim: claim.trim() === '' ? null : claim.trim(),
  role_mapping: claim.trim() === '' ? [] : toMapping(mapping),
  enabled,
})

const toBody = (input: Input): CreateIdentityProviderBody => ({
  ...toPatch(input),
  client_secret: input.client_secret,
  kind: input.kind,
  ...(input.issuer.trim() !== '' && { issuer: input.issuer.trim() }),
})

/** `initial`: what the form began with. */
function useSave(provider: IdentityProvider | undefined, initial: Input, onClose: () => void) {
  const { client } = useViewer()
  const cache = useCache()
  const undo = useUndo()
  const { confirmOverwrite, question } = useOverwriteQuestion(provider?.managed)
  /** The id of what was changed. */
  const send = async (input: Input, idempotencyKey: string): Promise<string | undefined> => {
    if (!provider) return (await client.identityProviders.create(toBody(input), { idempotencyKey })).id
    // What somebody else changed meanwhile stays.
    const changes = changedFields(toPatch(initial), toPatch(input))
    if (Object.keys(changes).length === 0) return undefined
    await confirmOverwrite()
    await client.identityProviders.update(provider.id, changes)
    return provider.id
  }
  const save = async (input: Input, idempotencyKey: string) => {
    const changed = await send(input, idempotencyKey)
    await cache.invalidate('identity-providers')
    toast(text.saved, changed === undefined ? undefined : undo(changed))
    onClose()
  }
  return { save, question }
}

/** Adds an identity provider, or changes one. */
export function ProviderEditor({ provider, onClose }: { provider?: IdentityProvider; onClose: () => void }) {
  // The list reads the provider again while one types.
  const [initial] = useState(() => toInput(provider))
  const { save, question } = useSave(provider, initial, onClose)
  const form = useForm(initial, save, {
    schema: provider ? ['PatchIdentityProviderBody', toPatch] : ['CreateIdentityProviderBody', toBody],
  })
  const { input, change, field } = form
  return (
    <>
      <Dialog isOpen onClose={onClose} title={provider?.name ?? text.add}>
        {provider && <Origin id={provider.id} managed={provider.managed} />}
        <Form form={form} action={text.save}>
          <TextField label={text.name} {...field('name')} maxLength={MAX_NAME_LENGTH} required />
          {!provider && (
            <>
              <SelectField label={text.kind} {...field('kind')}>
                {(['oidc', 'github'] as const).map((each) => (
                  <option key={each} value={each}>
                    {text.kinds[each]}
                  </option>
                ))}
              </SelectField>
              <TextField label={text.issuer} {...field('issuer')} mono required={input.kind === 'oidc'} />
            </>
          )}
          <TextField label={text.clientId} {...field('client_id')} mono required />
          <TextField
            label={text.clientSecret}
            hint={provider && text.secretKept}
            {...field('client_secret')}
            type="password"
            autoComplete="off"
            required={!provider}
          />
          <TextField label={text.domains} hint={text.domainsHint} {...field('domains', 'email_domains')} required />
          <CheckField
            label={text.creates}
            checked={input.creates}
            onChange={({ target }) => change({ creates: target.checked })}
          />
          <SelectField label={text.role} {...field('role', 'default_role')}>
            {ROLES.map((each) => (
              <option key={each} value={each}>
                {roleName(each)}
              </option>
            ))}
          </SelectField>
          {input.kind === 'oidc' && (
            <>
              <TextField label={text.claim} hint={text.claimHint} {...field('claim', 'role_claim')} mono />
              <TextField label={text.mapping} hint={text.mappingHint} {...field('mapping', 'role_mapping')} mono />
            </>
          )}
          <CheckField
            label={text.enabled}
            checked={input.enabled}
            onChange={({ target }) => change({ enabled: target.checked })}
          />
        </Form>
      </Dialog>
      {question}
    </>
  )
}
