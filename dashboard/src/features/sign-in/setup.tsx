import type { Client } from '@vedette/client'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { CheckField, TextField } from '../../components/field.tsx'
import { messages } from '../../messages/index.ts'
import { EmailField, NewPasswordField, RememberField } from './fields.tsx'
import { SignInForm } from './form.tsx'

const text = messages.signIn.setup

/** Creates the first owner with the set-up code. */
export function Setup({
  client,
  code,
  onSession,
}: {
  client: Client
  code: string
  onSession: (token: string, isRemembered: boolean) => void
}) {
  const submit = async (values: Record<string, string>) => {
    const { code = '', email = '', password = '', organization = '' } = values
    const allow_private_targets = values['allow_private_targets'] === 'on'
    const remember = values['remember'] === 'on'
    const { token } = await client.setup.complete({ code, email, password, organization, allow_private_targets, remember })
    onSession(token, remember)
  }
  return (
    <SignInForm title={text.title} lead={text.lead} submit={text.submit} onSubmit={submit}>
      <TextField
        label={text.code}
        {...(code === '' ? { hint: text.codeHint } : {})}
        name="code"
        defaultValue={code}
        autoComplete="off"
        spellCheck={false}
        mono
        required
      />
      <EmailField label={text.email} autoFocus={code !== ''} />
      <NewPasswordField />
      <TextField
        label={text.organization}
        name="organization"
        defaultValue={text.organizationName}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="organization"
        required
      />
      <RememberField />
      <CheckField name="allow_private_targets" label={text.privateTargets} hint={text.privateTargetsHint} />
    </SignInForm>
  )
}
