/** Descriptions by field name, for every schema. */
export const locations: Record<string, string> = {
  zip_code: 'Zip code: 12345 or 12345-6789.',
  location: 'Position; approximate where only the zip code is known.',
  lng: 'Longitude in degrees, east positive.',
  lat: 'Latitude in degrees, north positive.',
  site_code: "The laboratory's own code of the location.",
  fax_number: 'Fax number; null where there is none.',
  patient_service_centers: 'Where samples are taken.',
};
