import { Type } from 'typebox';
import { oneOf, Timestamp, Uuid } from '../../../wire/schema.ts';

/** A resource of FHIR R4, as http://hl7.org/fhir/R4 describes its kind: what is declared here is what every one has. */
const Resource = Type.Object(
  {
    resourceType: oneOf(
      ['DiagnosticReport', 'Observation', 'Organization', 'Patient', 'Practitioner', 'ServiceRequest', 'Specimen'],
      { description: 'Its kind, whose other fields are those of FHIR R4.' },
    ),
    id: Uuid,
  },
  { additionalProperties: Type.Unknown(), description: 'A resource of FHIR R4.' },
);

export const FhirBundle = Type.Object({
  resourceType: oneOf(['Bundle'], { description: 'Always Bundle.' }),
  id: Uuid,
  type: oneOf(['collection']),
  timestamp: Timestamp,
  entry: Type.Array(
    Type.Object({
      fullUrl: Type.String({ description: 'urn:uuid: and the id; what refers to the resource has the same.' }),
      resource: Resource,
    }),
    { description: 'The resources, first the one that was asked for.' },
  ),
});
