import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormFault, TextField } from '../components/field.tsx'
import { useViewer } from '../lib/api.ts'
import { sentenceOf } from '../lib/errors.ts'
import { text } from '../messages/index.ts'

const words = text.wayIn.noOrganization

interface Props {
  isOpen: boolean
  onClose: () => void
  onMade: (id: string) => void
}

export function NewOrganization({ isOpen, onClose, onMade }: Props) {
  const { client } = useViewer()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string>()
  const make = async () => {
    try {
      const { id } = await client.organizations.create({ name })
      await queries.invalidateQueries({ queryKey: ['me'] })
      setName('')
      onClose()
      onMade(id)
    } catch (error) {
      setFault(sentenceOf(error))
    }
  }
  return (
    <Dialog title={words.title} isOpen={isOpen} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <TextField label={words.name} value={name} onChange={(event) => setName(event.target.value)} maxLength={200} required />
        <FormFault>{fault}</FormFault>
        <Button type="submit" look="primary" className="justify-self-end">
          {words.submit}
        </Button>
      </form>
    </Dialog>
  )
}
