"""Windows and OpenOffice metafiles (EMF, WMF, SVM): drawings kept as the commands that make them."""
