import { Button, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, PhialError, unwrap } from '../../api/client.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { CalendarDate } from '../../parts/time.tsx';
import { ChangeDemographics } from './change-demographics.tsx';

/** Who the user is, and how they are insured. */
export function Person({ userId }: { userId: string }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Demographics userId={userId} />
      <Insurance userId={userId} />
    </SimpleGrid>
  );
}

/** What is not stored is an answer here, and no failure. */
async function orNull<Of>(reading: Promise<Of>): Promise<Of | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PhialError && error.status === 404) return null;
    throw error;
  }
}

function Demographics({ userId: user_id }: { userId: string }) {
  const query = useQuery({
    queryKey: ['user_info', user_id],
    queryFn: () => orNull(unwrap(phial.GET('/v2/user/{user_id}/info/latest', { params: { path: { user_id } } }))),
  });
  const [isOpen, setOpen] = useState(false);
  const known = query.data;
  return (
    <Section
      title="Demographics"
      actions={
        known !== undefined && (
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            {known === null ? 'Add demographics' : 'Change'}
          </Button>
        )
      }
    >
      {isOpen && <ChangeDemographics userId={user_id} known={known ?? null} close={() => setOpen(false)} />}
      <Loaded query={query}>
        {(info) =>
          info === null ? (
            <Text c="dimmed">None are stored. Laboratories need a name, a date of birth and an address.</Text>
          ) : (
            <FactList
              facts={[
                ['Name', `${info.first_name} ${info.last_name}`],
                ['Born', <CalendarDate key="dob" date={info.dob} />],
                ['Gender', inWords(info.gender)],
                ['E-mail', info.email],
                ['Phone', info.phone_number],
                ['Address', addressOf(info.address)],
                ['Guardian', info.medical_proxy && `${info.medical_proxy.first_name} ${info.medical_proxy.last_name}`],
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function Insurance({ userId: user_id }: { userId: string }) {
  const query = useQuery({
    queryKey: ['insurance', user_id],
    queryFn: () => orNull(unwrap(phial.GET('/v2/user/{user_id}/insurance/latest', { params: { path: { user_id } } }))),
  });
  return (
    <Section title="Insurance">
      <Loaded query={query}>
        {(insurance) =>
          insurance === null ? (
            <Text c="dimmed">No insurance is stored. Your own program stores it.</Text>
          ) : (
            <FactList
              facts={[
                ['Company', insurance.company.name],
                ['Member id', insurance.member_id],
                ['Group', insurance.group_id],
                ['Insured', `${insurance.insured.first_name} ${insurance.insured.last_name}`],
                ['The patient is', insurance.relationship],
                ['Kind', insurance.is_primary ? 'Primary' : 'Secondary'],
                [
                  'Guarantor',
                  insurance.guarantor && `${insurance.guarantor.first_name} ${insurance.guarantor.last_name}`,
                ],
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const addressOf = (address: {
  first_line: string;
  city: string;
  state: string;
  zip: string;
  country: string;
}): string => `${address.first_line}, ${address.city}, ${address.state} ${address.zip}, ${address.country}`;
