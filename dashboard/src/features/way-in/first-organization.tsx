import { useQueryClient } from '@tanstack/react-query'
import { TextField } from '../../components/field.tsx'
import { useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'
import { WayInForm } from './form.tsx'
import { WayInFrame } from './frame.tsx'

const words = text.wayIn.noOrganization

/** For who belongs to none: everything else takes one. */
export function FirstOrganization() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const submit = async ({ name = '' }: Record<string, string>) => {
    await client.organizations.create({ name })
    await queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <WayInFrame>
      <WayInForm title={words.title} lead={words.lead} submit={words.submit} onSubmit={submit}>
        <TextField label={words.name} name="name" data-name={words.name} maxLength={200} required />
      </WayInForm>
    </WayInFrame>
  )
}
