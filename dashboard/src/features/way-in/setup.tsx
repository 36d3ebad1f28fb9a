import type { Client } from '@vedette/client'
import { CheckField, TextField } from '../../components/field.tsx'
import { text } from '../../messages/index.ts'
import { EmailField, NewPasswordField } from './fields.tsx'
import { WayInForm } from './form.tsx'

const words = text.wayIn.setup

/** Makes the first owner, with the code that the start prints. */
export function Setup({ client, code, onSession }: { client: Client; code: string; onSession: (token: string) => void }) {
  const submit = async (values: Record<string, string>) => {
    const { code = '', email = '', password = '', organization = '' } = values
    const allow_private_targets = values['allow_private_targets'] === 'on'
    const { token } = await client.setup.complete({ code, email, password, organization, allow_private_targets })
    onSession(token)
  }
  return (
    <WayInForm title={words.title} lead={words.lead} submit={words.submit} onSubmit={submit}>
      <TextField
        label={words.code}
        {...(code === '' ? { hint: words.codeHint } : {})}
        name="code"
        data-name={words.codeName}
        defaultValue={code}
        autoComplete="off"
        spellCheck={false}
        mono
        required
      />
      <EmailField label={words.email} autoFocus={code !== ''} />
      <NewPasswordField />
      <TextField
        label={words.organization}
        name="organization"
        data-name={words.organizationName}
        maxLength={200}
        autoComplete="organization"
        required
      />
      <CheckField name="allow_private_targets" label={words.privateTargets} hint={words.privateTargetsHint} />
    </WayInForm>
  )
}
