import { Button } from '../components/button.tsx'
import { FirstPasskey } from '../features/account/passkeys.tsx'
import { TwoFactor } from '../features/account/two-factor.tsx'
import { useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'

const text = messages.settings.totp

/** For a member whose organization demands a second factor: all other pages are refused until it is set up. */
export function SecondFactorDemanded() {
  const { me, organization, chooseOrganization, signOut } = useViewer()
  const others = me.organizations.filter(({ id }) => id !== organization?.id)
  return (
    <main className="mx-auto mt-[8vh] grid max-w-2xl gap-4 px-4">
      <h1 className="text-xl font-semibold">{text.demanded(organization?.name ?? '')}</h1>
      <p className="text-soft">{text.demandedLead}</p>
      <TwoFactor />
      <FirstPasskey />
      <div className="flex flex-wrap gap-2">
        {others.map(({ id, name }) => (
          <Button key={id} onClick={() => chooseOrganization(id)}>
            {name}
          </Button>
        ))}
        <Button onClick={signOut}>{messages.nav.signOut}</Button>
      </div>
    </main>
  )
}
