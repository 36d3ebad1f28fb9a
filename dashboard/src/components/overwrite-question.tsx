import { changes } from '../messages/changes.ts'
import { messages } from '../messages/index.ts'
import { Confirm } from './dialog.tsx'

interface Props {
  owner: string
  onConfirm: () => void
  onClose: () => void
}

/** Loaded when something that is managed is saved. */
export default function OverwriteQuestion({ owner, onConfirm, onClose }: Props) {
  return (
    <Confirm
      isOpen
      title={changes.overwrite.title(owner)}
      description={changes.overwrite.lead(owner)}
      action={messages.actions.save}
      // oxlint-disable-next-line typescript/require-await -- the dialog waits for nothing
      onConfirm={async () => onConfirm()}
      onClose={onClose}
    />
  )
}
