import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { useQueryClient } from '@tanstack/react-query'
import { TextField } from '../../components/field.tsx'
import { useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { SignInForm } from './form.tsx'
import { SignInFrame } from './frame.tsx'

const text = messages.signIn.newOrganization

/** For a user without an organization, which all other pages need. */
export function FirstOrganization() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const submit = async ({ name = '' }: Record<string, string>) => {
    await client.organizations.create({ name })
    await queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <SignInFrame>
      <SignInForm title={text.title} lead={text.lead} submit={text.submit} onSubmit={submit}>
        <TextField label={text.name} name="name" data-name={text.name} maxLength={MAX_NAME_LENGTH} required />
      </SignInForm>
    </SignInFrame>
  )
}
