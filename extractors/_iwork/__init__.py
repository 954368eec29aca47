"""What Pages, Numbers and Keynote keep in their files: XML until 2009, protobuf archives (IWA) since 2013."""
