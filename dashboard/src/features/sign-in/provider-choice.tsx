import type { IdentityProviderChoices } from '@vedette/shared'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { messages } from '../../messages/index.ts'

interface Props {
  providers: IdentityProviderChoices['identity_providers']
  onChoose: (id: string) => void
  onClose: () => void
}

/** Where a domain has several identity providers. */
export function ProviderChoice({ providers, onChoose, onClose }: Props) {
  return (
    <Dialog isOpen title={messages.signIn.login.byProvider} onClose={onClose}>
      <div className="grid gap-2">
        {providers.map(({ id, name, organization, host }) => (
          <Button key={id} onClick={() => onChoose(id)}>
            {name}{' '}
            <span className="text-muted">
              ({organization}, {host})
            </span>
          </Button>
        ))}
      </div>
    </Dialog>
  )
}
